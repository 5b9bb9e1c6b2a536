/** POST /pg/preview/:dialect: the playground's request in another dialect. Nothing is sent to a model. */
import type { OtherDialect, Preview } from '#shared/console/inspection/preview'
import { callApi } from './http.ts'

/**
 * `body` (a chat request) rewritten in `dialect`, with what is lost. Throws ApiError; `unsupported_value` names a field the
 * dialect cannot express.
 */
export const previewIn = (dialect: OtherDialect, body: unknown, signal: AbortSignal): Promise<Preview> =>
  callApi('POST', `/pg/preview/${dialect}`, body, signal)
