/** Request settings: output, sampling, reasoning, identity, cache, tier, and fields of single dialects. */
import type { ConversationRequest, Output, OutputFormat } from '#canonical/conversation'
import type { Dialect } from '#shared/ids'
import { look, text, user } from './conversation.ts'
import { bodies, feature, own, partFields, type RequestFeature, said, toolFields } from './feature.ts'
import { limited, object, recursive } from './tool-features.ts'

const output = (name: string, fields: Partial<Output>): RequestFeature => ({
  row: '2.5',
  name,
  fields: () => ({ output: { format: { kind: 'text' }, modalities: [], stop: [], n: 1, ...fields } }),
  of: (request) => Object.keys(fields).map((key) => request.output[key as keyof Output]),
})

type Schema = Extract<OutputFormat, { kind: 'schema' }>
/** `key` is the field of the format that is compared. OpenAI's dialects require a name for every schema. */
const schema = (name: string, fields: Partial<Schema>, key: keyof Schema = 'schema'): RequestFeature => ({
  ...output(name, { format: { kind: 'schema', schema: object, name: 'city', ...fields } }),
  of: ({ output: { format } }) => format.kind === 'schema' && format[key],
})

const sampling = (row: string, name: string, fields: ConversationRequest['sampling']): RequestFeature =>
  feature(row, name, { sampling: fields }, (it) => it.sampling)

type Reasoning = ConversationRequest['reasoning']
const reasoning = (name: string, fields: Reasoning, ...keys: (keyof Reasoning)[]): RequestFeature =>
  feature('2.4', name, { reasoning: fields }, (it) =>
    (keys.length > 0 ? keys : Object.keys(fields)).map((key) => it.reasoning[key as keyof Reasoning]),
  )

/** No reasoning effort and a reasoning budget of zero are equivalent. */
const effortOf = ({ reasoning: { effort, budget } }: ConversationRequest) => (budget === 0 ? 'none' : effort)

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
const tiers = ['auto', 'default', 'flex', 'priority', 'fast'] as const
const times = ['5m', '30m', '1h', '12h'] as const
const everyDialect: readonly Dialect[] = ['chat', 'completions', 'responses', 'messages', 'gemini']
const cacheFields = partFields('text', 'cache')

export const settingFeatures: readonly RequestFeature[] = [
  ...efforts.map((effort) => ({ ...reasoning(`effort ${effort}`, { effort }), of: effortOf })),
  reasoning('thinking budget', { budget: 4096 }),
  { ...reasoning('thinking switched off by a budget', { budget: 0 }), of: effortOf },
  reasoning('thinking as the model likes', { adaptive: true }),
  reasoning('thoughts that can be seen', { effort: 'high', visible: 'summary' }, 'visible'),

  output('limit of tokens', { maxTokens: 500 }),
  output('limit of one token', { maxTokens: 1 }),
  output('JSON mode', { format: { kind: 'json' } }),
  schema('JSON schema', {}),
  schema('name of a JSON schema', {}, 'name'),
  schema('description of a JSON schema', { description: 'A city.' }, 'description'),
  schema('strict JSON schema', { strict: true }, 'strict'),
  schema('JSON schema with limits', { schema: limited }),
  schema('recursive JSON schema', { schema: recursive }),
  output('verbosity', { verbosity: 'low' }),
  output('stop sequence', { stop: ['END'] }),
  output('stop sequence of white space', { stop: ['\n\n', 'END'] }),
  output('five stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }),
  output('two answers', { n: 2 }),
  output('nine answers', { n: 9 }),
  output('log probabilities', { logprobs: 0 }),
  output('log probabilities of alternatives', { logprobs: 5 }),
  output('spoken answer', { modalities: ['audio'] }),
  output('drawn answer', { modalities: ['image'] }),
  sampling('2.5', 'seed', { seed: 7 }),
  sampling('2.5', 'logit bias', { logitBias: { '50256': -100 } }),
  own('2.5', 'chat', 'prediction', { type: 'content', content: 'x' }),
  own('2.5', 'responses', 'truncation', 'auto'),
  own('2.5', 'responses', 'context_management', [{ type: 'compaction', compact_threshold: 1000 }]),
  own('2.5', 'messages', 'context_management', { edits: [{ type: 'clear_tool_uses_20250919' }] }),

  sampling('2.6', 'temperature', { temperature: 0.5 }),
  sampling('2.6', 'temperature above 1', { temperature: 1.7 }),
  sampling('2.6', 'top_p', { topP: 0.5 }),
  sampling('2.6', 'top_k', { topK: 40 }),
  sampling('2.6', 'frequency penalty', { frequencyPenalty: 0.5 }),
  sampling('2.6', 'presence penalty', { presencePenalty: 0.5 }),
  sampling('2.6', 'penalty of 2', { presencePenalty: 2 }),

  own('2.7', 'gemini', 'continuationToken', 'abc'),

  feature('2.8', 'end user', { identity: { endUser: 'u1' } }, (it) => it.identity.endUser),
  feature('2.8', 'end user with a long name', { identity: { endUser: 'u'.repeat(200) } }, (it) => it.identity.endUser),
  feature('2.8', 'metadata', { identity: { metadata: { a: 'b' } } }, (it) => it.identity.metadata),
  feature('2.8', 'cache key', { cache: { key: 'k' } }, (it) => it.cache.key),
  ...times.map((ttl) => said('2.8', `cache breakpoint of ${ttl}`, [user({ ...text('long'), cache: { ttl } })], cacheFields)),
  said(
    '2.8',
    'five cache breakpoints',
    [user(...[...'abcde'].map((word) => ({ ...text(word), cache: { ttl: '30m' as const } })))],
    cacheFields,
  ),
  feature(
    '2.8',
    'cache breakpoint on instructions',
    { instructions: [{ role: 'system', text: 'Be brief.', cache: { ttl: '5m' } }] },
    (it) => it.instructions.map(({ cache }) => cache !== undefined),
  ),
  feature('2.8', 'cache breakpoint on a tool', { tools: [{ ...look, cache: { ttl: '5m' } }] }, toolFields('cache')),
  ...tiers.map((tier) => feature('2.8', `tier ${tier}`, { tier }, (it) => it.tier)),
  own('2.8', 'chat', 'moderation', { model: 'm' }),
  own('2.8', 'responses', 'moderation', { model: 'm' }),
  own('2.8', 'responses', 'background', true),
  own('2.8', 'responses', 'prompt', { id: 'pmpt_1' }),
  own('2.8', 'responses', 'max_tool_calls', 3),
  own('2.8', 'messages', 'mcp_servers', [{ type: 'url', url: 'https://mcp.example', name: 'a' }]),
  own('2.8', 'messages', 'container', 'container_1'),
  own('2.8', 'messages', 'inference_geo', 'eu'),
  own('2.8', 'gemini', 'cachedContent', 'cachedContents/a'),
  own('2.8', 'gemini', 'safetySettings', [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]),
  own('2.8', 'gemini', 'labels', { a: 'b' }),
  {
    ...feature('1.2', 'completions: several prompts', {}, (it) => it.extensions.completions?.prompt),
    body: bodies({ completions: ['a', 'b'] }),
  },
  own('1.2', 'completions', 'suffix', 'end'),
  own('1.2', 'completions', 'echo', true),
  own('1.2', 'completions', 'best_of', 10),
  ...everyDialect.map((dialect) => own('2.8', dialect, 'novelty', 1)),
]
