import type { Piece } from './chat-writer.ts'

/** A refusal of the demo vendor: what a real vendor would say with an error status. */
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

/** What a call of an operation other than generation comes to. */
export type Told = { answer: Record<string, unknown> } | { refusal: Refusal }

/** One whose answer is no JSON, or comes bit by bit. */
export type Played = Told | { type: string; pieces: readonly Piece[] }
