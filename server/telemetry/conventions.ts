/**
 * Maps Parley's terms to the semantic conventions for generative AI. Pure.
 * Read: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/.
 */
import type { NewLog } from '#store/ledger/ledger'

/** The vendors of existing channels by channel name. */
export type Vendors = ReadonlyMap<string, string>

/** The conventions' names of vendors; others keep their own. */
const providers = new Map([
  ['gemini', 'gcp.gemini'],
  ['vertex', 'gcp.vertex_ai'],
  ['bedrock', 'aws.bedrock'],
  ['azure-openai', 'azure.ai.openai'],
  ['azure-foundry', 'azure.ai.inference'],
  ['watsonx', 'ibm.watsonx.ai'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
  ['moonshot', 'moonshot_ai'],
  ['moonshot-cn', 'moonshot_ai'],
])

/** The provider of a channel; Parley itself where there is no channel, or it no longer exists. */
export function providerOf(channel: string | null | undefined, vendors: Vendors): string {
  const vendor = channel == null ? undefined : vendors.get(channel)
  return vendor === undefined ? 'parley' : (providers.get(vendor) ?? vendor)
}

/** The operation of a request. */
export function operationOf({ operation, dialect }: Pick<NewLog, 'operation' | 'dialect'>): string {
  if (operation === 'embed') return 'embeddings'
  if (operation === 'interact') return 'generate_content'
  if (operation !== 'generate') return operation
  if (dialect === 'completions') return 'text_completion'
  return dialect === 'gemini' ? 'generate_content' : 'chat'
}
