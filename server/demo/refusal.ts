import type { Piece } from './chat-writer.ts'

/** An error answer of the demo vendor. */
export interface Refusal {
  status: number
  message: string
  param?: string
  code: string | null
}

/** The vendor's error envelope. */
export function refusalBody({ status, message, param, code }: Refusal): string {
  const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error'
  return JSON.stringify({ error: { message, type, param: param ?? null, code } })
}

/** The result of an operation other than generation that answers with JSON. */
export type JsonResult = { answer: Record<string, unknown> } | { refusal: Refusal }

/** The result of an operation that may also answer with another type or a stream. */
export type Result = JsonResult | { type: string; pieces: readonly Piece[] }
