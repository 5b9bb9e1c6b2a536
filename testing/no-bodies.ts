/** Kept bodies for tests that have none. */

const refuse = () => Promise.reject(new Error('no body is kept here'))

/** Keeps nothing, and is never asked for it. */
export const noBodies = {
  settled: async () => {},
  read: refuse,
  async *lines(): AsyncGenerator<Uint8Array> {},
  remove: refuse,
  removeAll: refuse,
  keptAmong: async () => new Set<string>(),
  state: () => ({ kept: 0, dropped: 0, waitingBytes: 0, stopped: null, place: '', bytes: null, notUploaded: null, bucketFault: null }),
}
