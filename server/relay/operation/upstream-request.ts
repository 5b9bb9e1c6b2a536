/** The request to one candidate for an operation other than generation. */
import type { Form, FormFile, WrittenOperation } from '#canonical/operation/operation'
import type { Ask, RelayParts } from '#relay/contract/ask'
import { outgoing, withParams } from '#relay/exchange/outgoing'
import type { Candidate } from '#routing/order'
import type { Random } from '#runtime/clock'
import type { Payload, UpstreamRequest } from '#upstream/upstream'
import { writeMultipart } from '#wire/multipart'

/** Length of an id or a boundary that Parley generates, in base62 characters. */
export const idLength = 24

/** The endpoint and style of the request. */
export interface OperationServices {
  parts: RelayParts
  ask: Ask
}

/** A written request, or its bytes. */
export type Sendable = Omit<WrittenOperation, 'body'> & { body: WrittenOperation['body'] | Payload }

interface Sent extends Sendable {
  stream: boolean
  accept?: string | undefined
}

/** The request with its vendor's URL and credential. Throws `unsupported_endpoint` for an endpoint that the vendor lacks. */
export function requestFor(
  { parts, ask }: OperationServices,
  candidate: Candidate,
  { body, variant, address, headers, stream, accept }: Sent,
): UpstreamRequest {
  const wanted = { operation: ask.operation, stream, version: parts.version, ...(variant && { variant }) }
  const own = { ...headers, ...(accept !== undefined && { accept }) }
  const request = outgoing(wanted, candidate, payloadOf(body, parts.random, candidate), own)
  return address === undefined ? request : { ...request, url: request.url + address }
}

function payloadOf(body: Sent['body'], random: Random, candidate: Candidate): string | Payload {
  if (typeof body === 'string' || isPayload(body)) return body
  if (isFile(body)) return { type: body.type || 'application/octet-stream', length: body.size, open: () => body.open() }
  if (isForm(body)) return writeMultipart(body.parts, `parley-${random.base62(idLength)}`)
  return JSON.stringify(withParams(body, candidate))
}

type Written = Exclude<Sent['body'], string>

const isOpened = (body: Written): body is Payload | FormFile => 'open' in body && typeof body.open === 'function'
const isFile = (body: Written): body is FormFile => isOpened(body) && 'filename' in body
const isPayload = (body: Written): body is Payload => isOpened(body) && !('filename' in body)
const isForm = (body: Written): body is Form => 'parts' in body && Array.isArray(body.parts) && typeof body.size === 'number'
