/** Tools, tool choice, and calls and results in a conversation. */
import type { CallPart, Tool, ToolPolicy } from '#canonical/conversation'
import type { Dialect } from '#shared/ids'
import { assistant, call, look, result, results, text, user } from './conversation.ts'
import { feature, partFields, partsOf, type RequestFeature, said, shown, toolFields } from './feature.ts'
import { png } from './turn-features.ts'

export const object = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
export const limited = { ...object, properties: { city: { type: 'string', minLength: 2 } } }
const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } }
export const recursive = { ...node, $defs: { node } }
const either = { anyOf: [object, { type: 'object', properties: { zip: { type: 'string' } } }] }

const tool = (name: string, one: Tool, ...keys: string[]): RequestFeature =>
  feature('2.3', name, { tools: [one], toolPolicy: { mode: 'auto' } }, toolFields(...keys))
const other = { ...look, name: 'other' }
/** Gemini enforces schemas for all functions or for none, as part of the tool policy. */
const strictness: RequestFeature['of'] = (it) => {
  const forAll = it.extensions.gemini?.['toolConfig.functionCallingConfig'] !== undefined
  return it.tools.map((one) => one.kind === 'function' && [one.strict ?? forAll, one.parameters])
}
const policy = (name: string, toolPolicy: ToolPolicy): RequestFeature =>
  feature('2.3', name, { tools: [look, other, { ...look, name: 'third' }], toolPolicy }, (it) => [it.toolPolicy, toolFields('name')(it)])

type Search = Extract<Tool, { kind: 'web-search' }>
type Settings = Omit<Search, 'kind' | 'raw' | 'dialect'>
/** A search in its dialect's own form, because that form is preserved. */
const search = (name: string, settings: Settings): RequestFeature => ({
  row: '2.3',
  name,
  fields: (dialect) => ({ tools: [{ kind: 'web-search', raw: searches[dialect](settings), dialect, ...settings }] }),
  of: (it) => [toolFields('allowedDomains', 'blockedDomains', 'contextSize', 'maxUses', 'live')(it), it.tools.map(country)],
})
const country = (one: Tool): unknown => one.kind === 'web-search' && one.location?.country
const searches: Record<Dialect, (settings: Settings) => unknown> = {
  chat: ({ contextSize, location }) => ({
    ...(contextSize && { search_context_size: contextSize }),
    ...(location && { user_location: { type: 'approximate', approximate: location } }),
  }),
  completions: () => ({}),
  responses: ({ allowedDomains, blockedDomains, contextSize, location, live }) => ({
    type: 'web_search',
    ...((allowedDomains || blockedDomains) && { filters: { allowed_domains: allowedDomains, blocked_domains: blockedDomains } }),
    ...(contextSize && { search_context_size: contextSize }),
    ...(location && { user_location: location }),
    ...(live !== undefined && { external_web_access: live }),
  }),
  messages: ({ allowedDomains, blockedDomains, location, maxUses }) => ({
    type: 'web_search_20250305',
    name: 'web_search',
    ...(allowedDomains && { allowed_domains: allowedDomains }),
    ...(blockedDomains && { blocked_domains: blockedDomains }),
    ...(location && { user_location: location }),
    ...(maxUses !== undefined && { max_uses: maxUses }),
  }),
  gemini: ({ blockedDomains }) => ({ googleSearch: blockedDomains ? { excludeDomains: blockedDomains } : {} }),
}
const hosted = (dialect: Dialect, name: string, raw: Record<string, unknown>): RequestFeature =>
  tool(`${dialect}: tool ${name}`, { kind: 'native', dialect, name, raw }, 'raw')

const done = results(result('call_1', text('ok')))
const answered = (...parts: Parameters<typeof result>[1][]) => [user(), assistant(call('call_1')), results(result('call_1', ...parts))]
const custom: CallPart = { kind: 'call', callId: 'call_1', name: 'sh', form: 'text', argsText: 'ls' }
const asking = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
}
const callFields = partFields('call', 'callId', 'name', 'argsText')
const resultFields: RequestFeature['of'] = (request) =>
  partsOf(request).flatMap((part) => (part.kind === 'result' ? [[part.callId, part.isError, part.parts.map(shown)]] : []))
const callsAndResults: RequestFeature['of'] = (request) => [callFields(request), resultFields(request)]

export const toolFeatures: readonly RequestFeature[] = [
  tool('function', { ...look, description: 'Looks.', parameters: object }, 'name', 'description', 'parameters'),
  { ...tool('strict function', { ...look, parameters: object, strict: true }), of: strictness },
  feature('2.3', 'strict function beside others', { tools: [{ ...look, parameters: object, strict: true }, other] }, strictness),
  { ...tool('strict function with limits', { ...look, parameters: limited, strict: true }), of: strictness },
  tool('function with a choice of schemas', { ...look, parameters: either }, 'parameters'),
  tool('function with a recursive schema', { ...look, parameters: recursive }, 'parameters'),
  tool('tool that takes free text', { kind: 'custom', name: 'sh' }, 'name'),
  tool('tool with a grammar', { kind: 'custom', name: 'sh', grammar: { syntax: 'lark', definition: 'start: "a"' } }, 'grammar'),
  tool('namespace of tools', { ...look, namespace: 'web' }, 'name', 'namespace'),
  tool('tool that is loaded later', { ...look, extra: { defer_loading: true } }, 'extra'),
  tool('tool that programs call', { ...look, extra: { allowed_callers: ['programmatic'] } }, 'extra'),
  tool('hints on a tool', { ...look, extra: { input_examples: [{}] } }, 'extra'),
  policy('tool choice none', { mode: 'none' }),
  policy('tool choice required', { mode: 'required' }),
  policy('one forced tool', { mode: 'required', only: ['look'] }),
  policy('some allowed tools', { mode: 'auto', only: ['look'] }),
  policy('several tools, one of them required', { mode: 'required', only: ['look', 'other'] }),
  policy('one call at a time', { mode: 'auto', parallel: false }),
  search('web search', {}),
  search('web search in some domains', { allowedDomains: ['a.example'] }),
  search('web search outside some domains', { blockedDomains: ['a.example'] }),
  search('how much a web search reads', { contextSize: 'high' }),
  search('how often a web search is made', { maxUses: 3 }),
  search('web search that fetches nothing', { live: false }),
  search('where a web search is made', { location: { type: 'approximate', country: 'NL' } }),
  hosted('responses', 'code_interpreter', { type: 'code_interpreter', container: { type: 'auto' } }),
  hosted('responses', 'mcp', { type: 'mcp', server_label: 'a', server_url: 'https://mcp.example' }),
  hosted('messages', 'code_execution', { type: 'code_execution_20250825', name: 'code_execution' }),
  hosted('gemini', 'codeExecution', { codeExecution: {} }),

  said('2.3', 'call and result', [user(), assistant(call('call_1')), done], callsAndResults),
  said(
    '2.3',
    'parallel calls',
    [user(), assistant(call('call_1'), call('call_2')), results(result('call_1', text('1')), result('call_2', text('2')))],
    callsAndResults,
  ),
  said('2.3', 'text after a call', [user(), assistant(call('call_1'), text('Now')), done], (it) =>
    it.turns[1]?.parts.map(({ kind }) => kind),
  ),
  said('2.3', 'call with free text', [user(), assistant(custom), done], partFields('call', 'form', 'argsText')),
  said('2.3', 'call whose arguments are no JSON', [user(), assistant(call('call_1', '{"a":')), done], callFields),
  {
    ...said('2.3', 'call without a result', [user()], callFields),
    body: { chat: { model: 'asked', messages: [{ role: 'user', content: 'hi' }, asking, { role: 'user', content: 'Well?' }] } },
  },
  said(
    '2.3',
    'failed tool',
    [
      user(),
      assistant(call('call_1')),
      results({ kind: 'result', callId: 'call_1', form: 'json', isError: true, parts: [text('no such city')] }),
    ],
    resultFields,
  ),
  said('2.3', 'empty result', answered(), partFields('result', 'callId')),
  said(
    '2.3',
    'image in a result',
    answered(text('see'), { kind: 'media', media: 'image', source: { data: png }, mimeType: 'image/png' }),
    resultFields,
  ),
]
