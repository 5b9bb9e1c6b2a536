/**
 * What spans say of a request, by the semantic conventions for generative AI. Never prompts, answers or secrets. Pure.
 * Read: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/.
 */
import type { FinishedAttempt, FinishedRequest } from '#telemetry/finished-request'

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
export function operationOf({ operation, dialect }: Pick<FinishedRequest, 'operation' | 'dialect'>): string {
  if (operation === 'embed') return 'embeddings'
  if (operation !== 'generate') return operation
  if (dialect === 'completions') return 'text_completion'
  return dialect === 'gemini' ? 'generate_content' : 'chat'
}

/** What a request and its measurements have in common. Few different values, but for the model, which callers choose. */
export function commonFacts(request: FinishedRequest): Facts {
  return {
    'gen_ai.operation.name': operationOf(request),
    'gen_ai.provider.name': request.vendor === undefined ? 'parley' : providerOf(request.vendor),
    // What nobody offers is any text.
    ...(request.channel !== undefined && { 'gen_ai.request.model': request.model }),
    ...(request.upstreamModel !== undefined && { 'gen_ai.response.model': request.upstreamModel }),
    ...(request.error !== undefined && { 'error.type': request.error }),
  }
}

/** Everything that the span of a request says. */
export function requestFacts(request: FinishedRequest): Facts {
  const { usage } = request
  return {
    ...commonFacts(request),
    'gen_ai.request.model': request.model,
    'http.response.status_code': request.status,
    'parley.request_id': request.requestId,
    'parley.dialect': request.dialect,
    'parley.stream': request.stream,
    'parley.end': request.end,
    'parley.group': request.group,
    'parley.cost_usd': request.cost,
    'user.id': request.user,
    ...(request.member !== undefined && { 'parley.member': request.member }),
    ...(request.key !== undefined && { 'parley.key': request.key }),
    ...(request.channel !== undefined && { 'parley.channel': request.channel }),
    ...(usage && {
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
      ...(usage.cacheRead > 0 && { 'gen_ai.usage.cache_read.input_tokens': usage.cacheRead }),
      ...(usage.reasoning > 0 && { 'gen_ai.usage.reasoning.output_tokens': usage.reasoning }),
    }),
  }
}

/** Everything that the span of an attempt says. */
export function attemptFacts(attempt: FinishedAttempt, request: FinishedRequest): Facts {
  return {
    'gen_ai.operation.name': operationOf(request),
    'gen_ai.provider.name': attempt.vendor === undefined ? 'parley' : providerOf(attempt.vendor),
    'gen_ai.request.model': attempt.model ?? request.model,
    'parley.channel': attempt.channel,
    'parley.phase': attempt.phase,
    ...(attempt.key !== null && { 'parley.channel_key': attempt.key }),
    ...(attempt.status !== null && { 'http.response.status_code': attempt.status }),
    ...(attempt.cause !== null && { 'error.type': attempt.cause }),
  }
}
