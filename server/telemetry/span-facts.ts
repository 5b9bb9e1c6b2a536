/**
 * What spans say of a request, by the semantic conventions for generative AI. Never prompts, answers or secrets. Pure.
 * Read: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/.
 */
import { promptOf } from '#canonical/usage'
import type { AttemptRow } from '#shared/console/log'
import type { NewLog } from '#store/ledger/ledger'

/** Attributes of a span or a measurement. */
export type Facts = Record<string, string | number | boolean>

/** Names that the conventions have for vendors; others keep their own. */
const providers: Readonly<Record<string, string>> = {
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  'azure-openai': 'azure.ai.openai',
  'azure-foundry': 'azure.ai.inference',
  watsonx: 'ibm.watsonx.ai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  moonshot: 'moonshot_ai',
  'moonshot-cn': 'moonshot_ai',
}

/** The provider of a vendor. */
export const providerOf = (vendor: string): string => (Object.hasOwn(providers, vendor) ? (providers[vendor] ?? vendor) : vendor)

/** What a request asks for. */
export function operationOf({ operation, dialect }: Pick<NewLog, 'operation' | 'dialect'>): string {
  if (operation === 'embed') return 'embeddings'
  if (operation !== 'generate') return operation
  if (dialect === 'completions') return 'text_completion'
  return dialect === 'gemini' ? 'generate_content' : 'chat'
}

/** What a request and its measurements have in common. Few different values, but for the model, which callers choose. */
export function commonFacts(row: NewLog, vendor: string | undefined): Facts {
  return {
    'gen_ai.operation.name': operationOf(row),
    'gen_ai.provider.name': vendor === undefined ? 'parley' : providerOf(vendor),
    // What nobody offers is any text.
    ...(row.channel != null && { 'gen_ai.request.model': row.model }),
    ...(row.upstreamModel != null && { 'gen_ai.response.model': row.upstreamModel }),
    ...(row.error && { 'error.type': row.error.code }),
  }
}

/** Everything that the span of a request says. */
export function requestFacts(row: NewLog, vendor: string | undefined): Facts {
  const { usage } = row
  return {
    ...commonFacts(row, vendor),
    'gen_ai.request.model': row.model,
    'http.response.status_code': row.status,
    'parley.request_id': row.requestId,
    'parley.dialect': row.dialect,
    'parley.stream': row.stream,
    'parley.end': row.end,
    'parley.group': row.group,
    'parley.cost_usd': Number(row.cost) / 1e9,
    'user.id': row.userId,
    ...(row.key != null && { 'parley.key': row.key }),
    ...(row.channel != null && { 'parley.channel': row.channel }),
    ...(usage && {
      'gen_ai.usage.input_tokens': promptOf(usage),
      'gen_ai.usage.output_tokens': usage.out.total,
      ...(usage.in.cacheRead > 0 && { 'gen_ai.usage.cache_read.input_tokens': usage.in.cacheRead }),
      ...(usage.out.reasoning > 0 && { 'gen_ai.usage.reasoning.output_tokens': usage.out.reasoning }),
    }),
  }
}

/** Everything that the span of an attempt says. */
export function attemptFacts(attempt: AttemptRow, row: NewLog, vendor: string | undefined): Facts {
  return {
    'gen_ai.operation.name': operationOf(row),
    'gen_ai.provider.name': vendor === undefined ? 'parley' : providerOf(vendor),
    'gen_ai.request.model': attempt.model ?? row.model,
    'parley.channel': attempt.channel,
    'parley.phase': attempt.phase,
    ...(attempt.key !== null && { 'parley.channel_key': attempt.key }),
    ...(attempt.status !== null && { 'http.response.status_code': attempt.status }),
    ...(attempt.cause !== null && { 'error.type': attempt.cause }),
  }
}
