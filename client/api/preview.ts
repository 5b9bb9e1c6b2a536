/** POST /pg/preview/:dialect: the playground's request in another dialect. Nothing is sent to a model. */
import type { OtherDialect, Preview } from '#shared/console/preview'
import { callApi } from './http.ts'

/** Throws ApiError; `unsupported_value` names the field that the dialect cannot say. */
export const previewIn = (dialect: OtherDialect, body: unknown, signal: AbortSignal): Promise<Preview> =>
  callApi('POST', `/pg/preview/${dialect}`, body, signal)
