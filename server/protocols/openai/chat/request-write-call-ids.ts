/** Ids of calls as Chat upstreams take them: a foreign or overlong one has a stand-in, the same for the call and its result. */

export interface CallIds {
  out(callId: string): string
}

/** The longest that all upstreams are known to take. */
const longest = 40

/** One per request: upstreams keep no ids between requests, so no way back is needed. */
export function callIds(): CallIds {
  const given = new Map<string, string>()
  return {
    out(callId) {
      if (callId.length <= longest && /^[\w.:-]+$/.test(callId)) return callId
      const id = given.get(callId) ?? `call_parley_${given.size + 1}`
      given.set(callId, id)
      return id
    },
  }
}
