/** Records the connection of a session to an upstream: the request, and the frames of both directions. */
import { asGatewayError } from '#shared/errors'
import type { UpstreamRequest } from '#upstream/upstream'
import type { Capture } from './capture.ts'
import type { Addressee, NotedPart } from './noted-part.ts'

type Frame = string | Uint8Array

/** One connection that was just requested. No method throws. */
export interface NotedDial {
  /** It was not opened, or broke. */
  broke(thrown: unknown): void
  /** It was refused with this answer. */
  refused(answer: { status: number; headers: Headers; body: string }): void
  sent(frame: Frame): void
  onFrame(frame: Frame): void
}

/** Records a connection to an upstream. */
export function notedDial(capture: Capture, to: Addressee, request: UpstreamRequest): NotedDial {
  const asked = capture.called(to, request)
  let answer: NotedPart | undefined
  const answered = (status: number, headers: Headers | Record<string, string>) =>
    capture.begin({ border: 'upstream-answer', call: asked.call ?? 0, status, headers })
  return {
    broke(thrown) {
      const part = answer ?? asked
      part.broken ??= asGatewayError(thrown).code
    },
    refused({ status, headers, body }) {
      answer = answered(status, headers)
      capture.add(answer, body)
    },
    sent: (frame) => capture.addFrame(asked, frame),
    onFrame(frame) {
      answer ??= answered(101, {})
      capture.addFrame(answer, frame)
    },
  }
}
