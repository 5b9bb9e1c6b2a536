/** Outcomes of requests by time slice. */

/** Outcomes in one time slice. */
export interface Slice {
  requests: number
  failed: number
}

/** What the slices add up to. */
export const sumOf = (slices: readonly (Slice | undefined)[]): Slice => ({
  requests: slices.reduce((sum, slice) => sum + (slice?.requests ?? 0), 0),
  failed: slices.reduce((sum, slice) => sum + (slice?.failed ?? 0), 0),
})

/** Attempts as requests of a slice. */
export const sliceOf = ({ attempts, failed }: { attempts: number; failed: number }): Slice => ({ requests: attempts, failed })
