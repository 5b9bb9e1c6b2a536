/** Ids of state in an upstream's account are found wherever a dialect can name them, and not in the caller's own maps. */
import { expect, test } from 'bun:test'
import type { Dialect } from '#shared/ids'
import { conversationCodecs } from './index.ts'

const hi = { role: 'user', content: 'hi' }
const schema = { type: 'object', properties: { file_id: { type: 'string' }, container_id: { const: 'x' } } }
const refsIn = (dialect: Dialect, body: object) =>
  (conversationCodecs[dialect].readHead(JSON.stringify(body), 'm:generateContent').stateRefs ?? []).map(({ kind, id }) => `${kind} ${id}`)

const responses = (fields: object) => ({ model: 'm', input: 'hi', ...fields })
const messages = (fields: object) => ({ model: 'm', max_tokens: 9, messages: [hi], ...fields })
const gemini = (fields: object) => ({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...fields })
const file = { type: 'document', source: { type: 'file', file_id: 'f' } }

test.each<[Dialect, object, string[]]>([
  ['responses', responses({ tools: [{ type: 'file_search', vector_store_ids: ['a', 'b'] }] }), ['vector-store a', 'vector-store b']],
  ['responses', responses({ tools: [{ type: 'code_interpreter', container: 'c' }] }), ['container c']],
  ['responses', responses({ tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['f'] } }] }), ['file f']],
  ['responses', responses({ tools: [{ type: 'image_generation', input_image_mask: { file_id: 'f' } }] }), ['file f']],
  ['responses', responses({ tools: [{ type: 'shell', environment: { type: 'x', skills: [{ skill_id: 's' }] } }] }), ['skill s']],
  ['responses', responses({ input: [{ type: 'image_generation_call', id: 'ig' }] }), ['item ig']],
  ['responses', responses({ tools: [{ type: 'mcp', server_label: 'x', tunnel_id: 't' }] }), ['tunnel t']],
  [
    'responses',
    responses({ input: [{ type: 'additional_tools', tools: [{ type: 'code_interpreter', container: 'c' }] }] }),
    ['container c'],
  ],
  [
    'responses',
    responses({ tools: [{ type: 'image_generation', input_image_mask: { image_url: 'gs://b/x.png' } }] }),
    ['file gs://b/x.png'],
  ],
  ['responses', responses({ input: [{ role: 'user', content: [{ type: 'input_image', image_url: ' gs://b/x' }] }] }), ['file  gs://b/x']],
  ['chat', { model: 'm', messages: [hi], audio: { format: 'mp3', voice: { id: 'v' } } }, ['voice v']],
  ['messages', messages({ user_profile_id: 'u', workspace_id: 'w' }), ['user-profile u', 'workspace w']],
  ['responses', responses({ tools: [{ type: 'function', name: 'f', parameters: schema }] }), []],
  ['messages', messages({ system: [file] }), ['file f']],
  [
    'messages',
    messages({ thread: { previous_message_id: 'm1' }, diagnostics: { previous_message_id: 'm2' } }),
    ['message m2', 'message m1'],
  ],
  ['messages', messages({ container: { id: 'c', skills: [{ type: 'custom', skill_id: 's' }] } }), ['container c', 'skill s']],
  ['messages', messages({ container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }), []],
  ['messages', messages({ tools: [{ name: 'f', input_schema: schema }] }), []],
  ['gemini', gemini({ tools: [{ fileSearch: { fileSearchStoreNames: ['s'] } }] }), ['file-search-store s']],
  ['gemini', gemini({ tools: [{ retrieval: { vertexAiSearch: { datastore: 'd' } } }] }), ['data-store d']],
  ['gemini', gemini({ systemInstruction: { parts: [{ fileData: { fileUri: 'files/x' } }] } }), ['file files/x']],
  ['gemini', gemini({ tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }] }), []],
])('%s %j', (dialect, body, refs) => {
  expect(refsIn(dialect, body)).toEqual(refs)
})
