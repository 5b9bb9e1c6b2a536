/**
 * Claude in a cloud (Vertex, Bedrock): the Messages dialect with the model in the path and the version in the body.
 *
 * Read: https://docs.anthropic.com/en/api/claude-on-vertex-ai (model and version) and
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 * (`anthropic_version`, `anthropic_beta` in the body).
 *
 * Neither cloud fetches the URLs of images and documents ("URL sources are not supported"): issue 1038 of
 * anthropics/anthropic-sdk-typescript (Vertex), pull request 18497 of BerriAI/litellm (both).
 */

import type { Capabilities } from '#shared/capabilities'
import { claudeFacts } from '../models/claude.ts'
import type { BodyQuirk } from '../vendor.ts'

/** Facts about a Claude model in a cloud. */
export const cloudClaudeFacts = (model: string): Capabilities => ({ ...claudeFacts(model), mediaUrlsRefused: true })

/** Vertex: `stream` stays in the body; Vertex accepts it next to the action in the path. */
export const vertexBody: BodyQuirk = {
  remove: ['model'],
  set: { anthropic_version: 'vertex-2023-10-16' },
  dropHeaders: ['anthropic-version'],
}

/** Bedrock: the path alone selects streaming, and an `accept` header for server-sent events would request another payload. */
export const bedrockBody: BodyQuirk = {
  remove: ['model', 'stream'],
  set: { anthropic_version: 'bedrock-2023-05-31' },
  dropHeaders: ['anthropic-version', 'anthropic-beta'],
  listFromHeader: { header: 'anthropic-beta', field: 'anthropic_beta' },
  accept: '*/*',
}
