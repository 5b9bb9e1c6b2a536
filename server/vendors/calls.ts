/**
 * The URLs for controlling and watching WebRTC and SIP calls, derived from the URL that opens them (`.../realtime/calls`). Read: openai
 * 7.57 (`realtime.calls`, and `callID` of its sockets) and OpenAI's guides to WebRTC, SIP and server-side controls.
 */
import type { VendorId } from '#shared/ids'

/** The actions on a call. */
export const callActions = ['accept', 'reject', 'refer', 'hangup'] as const
export type CallAction = (typeof callActions)[number]

const holders: ReadonlySet<VendorId> = new Set<VendorId>(['openai', 'azure-openai', 'openai-compatible', 'parley'])

/** Whether a vendor supports calls. */
export const holdsCalls = (vendor: VendorId): boolean => holders.has(vendor)

/** The URL of an action on a call. */
export function actionUrl(url: string, id: string, action: CallAction): string {
  const [path = '', query] = url.split('?')
  return `${path}/${encodeURIComponent(id)}/${action}${query === undefined ? '' : `?${query}`}`
}

/** The URL of the WebSocket next to a call. */
export function sidebandUrl(url: string, id: string): string {
  const [path = '', query] = url.split('?')
  const rest = query === undefined ? '' : `&${query}`
  return `${path.replace(/\/calls$/, '')}?call_id=${encodeURIComponent(id)}${rest}`
}
