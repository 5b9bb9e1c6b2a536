/**
 * Amazon Bedrock: Claude through the operations that take the Messages body, other models through Converse. Option: `region` (default:
 * the one in the base URL). The key is `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, with `:SESSION_TOKEN` for temporary ones, or a Bedrock API key.
 * Read: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html, the references of InvokeModel and
 * Converse.
 */
import { badOption, cleanBase, modelSegment, notServed } from '../address.ts'
import { isClaude } from '../models/claude.ts'
import type { EndpointTarget, Vendor } from '../vendor.ts'
import { bedrockBody, cloudClaudeFacts } from './claude-cloud.ts'

const ownHost = /^https:\/\/bedrock-runtime\.([a-z0-9-]+)\.amazonaws\.com$/
const regionName = /^[a-z]{2}(-[a-z]+)+-\d+$/

/** The region a request is sent to and signed for. Throws `upstream_error` where neither option nor address names one. */
export function bedrockRegion(url: string, options: Readonly<Record<string, string>>): string {
  const region = options.region ?? ownHost.exec(new URL(url).origin)?.[1]
  if (region === undefined || !regionName.test(region)) throw badOption()
  return region
}

/** The names of application profiles and custom models do not show what they are: they count as Claude, as they always did. */
const namesItsModel = /^(?!arn:)|:(?:foundation-model|inference-profile)[/]/

const converses = (model: string): boolean => !isClaude(model) && namesItsModel.test(model)

function endpoint(baseUrl: string, { dialect, model, operation, options, stream }: EndpointTarget): string {
  if (dialect !== 'messages' || operation !== 'generate') throw notServed()
  const base = cleanBase(baseUrl)
  const host = ownHost.test(base) ? `https://bedrock-runtime.${bedrockRegion(base, options)}.amazonaws.com` : base
  const path = `${host}/model/${modelSegment(model)}`
  if (converses(model)) return `${path}/${stream ? 'converse-stream' : 'converse'}`
  return `${path}/${stream ? 'invoke-with-response-stream' : 'invoke'}`
}

/** Models in Amazon Bedrock. */
export const bedrock: Vendor = {
  id: 'bedrock',
  title: 'Amazon Bedrock',
  speaks: ['messages'],
  converses,
  operations: ['generate'],
  baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  keyless: false,
  auth: 'sigv4',
  framing: 'event-stream',
  body: { messages: bedrockBody },
  endpoint,
  capabilities: cloudClaudeFacts,
}
