/** The Messages API's refusals and its two versions. */
import { type Fields, isObject } from './body-checks.ts'

/** A refusal. */
export interface MessagesFault {
  status: number
  type: string
  message: string
}

/** A refusal with status 400. */
export const invalid = (message: string): MessagesFault => ({ status: 400, type: 'invalid_request_error', message })

export const versions = { first: '2023-06-01', second: '2026-10-21' }

/** Whether thinking is enabled. */
export const thinks = (body: Fields): boolean => isObject(body.thinking) && body.thinking.type !== 'disabled'
