/** What Google's services call models and figures in the frames of a session, where that depends on the upstream. */
import type { GoogleService, RealtimeCodec } from '#canonical/operation/realtime'
import type { Candidate } from '#routing/order'
import type { Handles } from './contract.ts'

/** What the client is told in place of a frame of the upstream; undefined: the frame itself. */
export function toldBy(codec: RealtimeCodec, handles: Handles, { channel, key }: Candidate, service: GoogleService) {
  const from = channel.vendor.sessionModel ? 'cloud' : 'api'
  const counted = (frame: string) => (from === service ? undefined : codec.withCounts?.(frame, from))
  const named = (frame: string) =>
    codec.withHandle?.(frame, (handle) => handles.told({ channel: channel.id, key: key?.id ?? null, handle }))
  return (frame: string) => {
    const told = counted(frame)
    return named(told ?? frame) ?? told
  }
}

/** What the upstream calls its model in the first frame. */
export const modelAt = ({ channel: { vendor, options }, model }: Candidate) =>
  vendor.sessionModel?.(model.upstream, options) ?? model.upstream
