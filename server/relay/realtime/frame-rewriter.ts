/** Adapts model names and usage in the frames of a session to Google's services, as far as they depend on the upstream. */
import type { GoogleService, RealtimeCodec } from '#canonical/operation/realtime'
import type { Candidate } from '#routing/order'
import type { Handles } from './contract.ts'

/** The rewritten frame for the client; undefined: unchanged. */
export function frameRewriter(codec: RealtimeCodec, handles: Handles, { channel, key }: Candidate, service: GoogleService) {
  const from = channel.vendor.sessionModel ? 'cloud' : 'api'
  const counted = (frame: string) => (from === service ? undefined : codec.withCounts?.(frame, from))
  const named = (frame: string) =>
    codec.withHandle?.(frame, (handle) => handles.clientHandle({ channel: channel.id, key: key?.id ?? null, handle }))
  return (frame: string) => {
    const counts = counted(frame)
    return named(counts ?? frame) ?? counts
  }
}

/** The upstream's name of its model in the first frame. */
export const modelAt = ({ channel: { vendor, options }, model }: Candidate) =>
  vendor.sessionModel?.(model.upstream, options) ?? model.upstream
