/** Interactions of Gemini, as Parley reads them. Read: https://ai.google.dev/api/interactions-api and the types of @google/genai 3. */
import { type Static, Type } from '../../typebox.ts'
import { Count, Figure, Flag, Free, Open, OrNull, Text } from '../openai/tolerant.ts'

/** Content of a step: text or media. */
export const InteractionContent = Open({
  type: Text('`text`, `image`, `audio`, `document` or `video`'),
  text: Text(),
  annotations: Free('Citations of an answer'),
  data: Text('Base64'),
  mime_type: Text(),
  uri: Text('A public address, or the name of a stored file'),
  resolution: Text(),
})
export type InteractionContent = Static<typeof InteractionContent>

/** A step of a conversation, with the fields of every kind that Parley understands. */
export const InteractionStep = Open({
  type: Text('`user_input`, `model_output`, `thought`, `function_call` or `function_result`; calls of hosted tools and their results'),
  role: Text('Of a turn in the older form: `user` or `model`'),
  content: OrNull(Type.Union([Type.String(), Type.Array(InteractionContent)])),
  summary: OrNull(Type.Array(InteractionContent)),
  signature: Text('Of a thought: state that only its maker can read'),
  id: Text(),
  call_id: Text(),
  name: Text(),
  arguments: Free('Of a call'),
  result: Free('Of a tool: a text, a list of contents, or an object'),
  is_error: Flag(),
})
export type InteractionStep = Static<typeof InteractionStep>

/** A tool. */
export const InteractionTool = Open({
  type: Text('`function`, `google_search`, `code_execution` or `mcp_server`; others need a channel of Gemini’s'),
  name: Text(),
  description: Text(),
  parameters: Free('A JSON Schema'),
  search_types: Free(),
  url: Text('Of a server of MCP'),
  headers: Free('For a server of MCP'),
  allowed_tools: Free('Of a server of MCP'),
})
export type InteractionTool = Static<typeof InteractionTool>

/** The required format of an answer. */
export const InteractionFormat = Open({ type: Text('`text`'), mime_type: Text(), schema: Free('A JSON Schema') })
export type InteractionFormat = Static<typeof InteractionFormat>

const Allowed = Open({ mode: Text('`auto`, `any`, `none` or `validated`'), tools: Free('Names of functions') })

/** Generation settings. */
export const InteractionConfig = Open({
  temperature: Figure(),
  top_p: Figure(),
  max_output_tokens: Count(),
  thinking_level: Text('`minimal`, `low`, `medium`, `high` or `xhigh`'),
  thinking_summaries: Text('`auto` or `none`'),
  tool_choice: OrNull(Type.Union([Open({ allowed_tools: OrNull(Allowed) }), Type.String()])),
  stop_sequences: Free(),
  seed: Figure(),
})
export type InteractionConfig = Static<typeof InteractionConfig>

/** POST /v1beta/interactions */
export const InteractionRequest = Open({
  model: Text('Required: agents need a channel of Gemini’s'),
  agent: Text(),
  input: OrNull(Type.Union([Type.String(), InteractionContent, Type.Array(InteractionStep)])),
  system_instruction: Text(),
  previous_interaction_id: Text('The interaction that goes on'),
  store: Flag(),
  background: Flag(),
  stream: Flag(),
  tools: OrNull(Type.Array(InteractionTool)),
  generation_config: OrNull(InteractionConfig),
  response_format: OrNull(Type.Union([InteractionFormat, Type.Array(InteractionFormat)])),
  response_mime_type: Text(),
  response_modalities: Free(),
  service_tier: Text('`flex`, `standard` or `priority`'),
  labels: Free('A map of texts'),
})
export type InteractionRequest = Static<typeof InteractionRequest>
