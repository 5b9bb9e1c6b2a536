/** Writing: one call at a time, with its failure where the form shows it. What was typed is the caller's and stays. */
import { type Accessor, createSignal } from 'solid-js'
import type { ApiError } from '#client/api/http.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { explain } from './explain.ts'
import { asApiError } from './load.ts'

/** A write that may be under way or have failed. */
export interface Write {
  busy: Accessor<boolean>
  error: Accessor<ApiError | undefined>
  /** Runs `work` unless one is under way; true when it succeeded. A failure is announced and kept until the next run. */
  run(work: () => Promise<unknown>): Promise<boolean>
  clear(): void
}

/** A write. */
export function createWrite(): Write {
  const [busy, setBusy] = createSignal(false)
  const [error, setError] = createSignal<ApiError | undefined>()
  return {
    busy,
    error,
    clear: () => setError(undefined),
    async run(work) {
      if (busy()) return false
      setBusy(true)
      setError(undefined)
      try {
        await work()
        return true
      } catch (thrown) {
        const failure = asApiError(thrown)
        setError(failure)
        announceError(explain(failure))
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}
