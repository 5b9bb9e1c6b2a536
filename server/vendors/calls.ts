/**
 * Where calls over WebRTC and SIP are led and watched, by the address at which an upstream opens them (`.../realtime/calls`). Read: openai 7.57
 * (`realtime.calls`, and `callID` of its sockets) and OpenAI's guides to WebRTC, SIP and server-side controls.
 */
import type { VendorId } from '#shared/ids'

/** What can be done with a call. */
export const callActions = ['accept', 'reject', 'refer', 'hangup'] as const
/** One of these. */
export type CallAction = (typeof callActions)[number]

const holders: ReadonlySet<VendorId> = new Set<VendorId>(['openai', 'azure-openai', 'openai-compatible', 'parley'])

/** Whether a vendor holds calls. */
export const holdsCalls = (vendor: VendorId): boolean => holders.has(vendor)

/** The address of what is done with a call. */
export function actionUrl(url: string, id: string, action: CallAction): string {
  const [path = '', query] = url.split('?')
  return `${path}/${encodeURIComponent(id)}/${action}${query === undefined ? '' : `?${query}`}`
}

/** The address of the WebSocket beside a call. */
export function sidebandUrl(url: string, id: string): string {
  const [path = '', query] = url.split('?')
  const rest = query === undefined ? '' : `&${query}`
  return `${path.replace(/\/calls$/, '')}?call_id=${encodeURIComponent(id)}${rest}`
}
