/** How the Messages API refuses, and what its two versions are called. */
import { type Fields, isObject } from './body-checks.ts'

export interface MessagesFault {
  status: number
  type: string
  message: string
}

export const invalid = (message: string): MessagesFault => ({ status: 400, type: 'invalid_request_error', message })

export const versions = { first: '2023-06-01', second: '2026-10-21' }

/** Is the model asked to think? */
export const thinks = (body: Fields): boolean => isObject(body.thinking) && body.thinking.type !== 'disabled'
