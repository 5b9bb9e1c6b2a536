/** A GatewayError as plain data, since a structured clone would lose its fields. */
import { type ErrorCode, type ErrorDetail, GatewayError } from '#shared/errors'

/** A GatewayError as it crosses between the threads. */
export interface Refusal {
  refusal: ErrorCode
  message: string
  detail: ErrorDetail
}

/** The error without its cause. */
export function refusalOf({ code, message, status, publicCode, type, param, retry, retryAfter, kept }: GatewayError): Refusal {
  const detail: ErrorDetail = { status, publicCode, publicType: type, retry }
  if (param !== undefined) detail.param = param
  if (retryAfter !== undefined) detail.retryAfter = retryAfter
  if (kept !== undefined) detail.kept = kept
  return { refusal: code, message, detail }
}

/** The error again. */
export const errorOf = ({ refusal, message, detail }: Refusal): GatewayError => new GatewayError(refusal, message, detail)
