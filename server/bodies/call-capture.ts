/** Records one request to an upstream and its answer as they pass. */
import { asGatewayError } from '#shared/errors'
import type { Payload, UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import type { Capture } from './capture.ts'
import type { Addressee, NotedPart } from './noted-part.ts'

/** Sends an upstream request, and records it and its answer. Resolves and rejects as `open` does. */
export async function notedCall(
  capture: Capture,
  to: Addressee,
  request: UpstreamRequest,
  open: (request: UpstreamRequest) => Promise<UpstreamAnswer>,
): Promise<UpstreamAnswer> {
  const sent = capture.called(to, request)
  const { body } = request
  if (typeof body === 'string') capture.add(sent, body)
  try {
    const answer = await open(typeof body === 'object' ? { ...request, body: notedPayload(capture, sent, body) } : request)
    const { status, headers } = answer
    return notedAnswer(capture, capture.begin({ border: 'upstream-answer', call: sent.call ?? 0, status, headers }), answer)
  } catch (thrown) {
    sent.broken = asGatewayError(thrown).code
    throw thrown
  }
}

function notedPayload(capture: Capture, part: NotedPart, payload: Payload): Payload {
  const transform = (bytes: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
    capture.add(part, bytes)
    controller.enqueue(bytes)
  }
  return { ...payload, open: () => payload.open().pipeThrough(new TransformStream({ transform })) }
}

function notedAnswer(capture: Capture, part: NotedPart, answer: UpstreamAnswer): UpstreamAnswer {
  const broke = (thrown: unknown) => {
    part.broken = asGatewayError(thrown).code
  }
  if (answer.tap) {
    answer.tap({ read: (bytes) => capture.add(part, bytes), broke })
    return answer
  }
  const noted = async <T extends Uint8Array | undefined>(read: Promise<T>): Promise<T> => {
    try {
      const bytes = await read
      if (bytes) capture.add(part, bytes)
      return bytes
    } catch (thrown) {
      broke(thrown)
      throw thrown
    }
  }
  const { status, headers, readAll } = answer
  return {
    status,
    headers,
    cancel: () => answer.cancel(),
    read: () => noted(answer.read()),
    ...(readAll && { readAll: () => noted(readAll.call(answer)) }),
  }
}
