/**
 * The Responses dialect as Parley reads it, for its readers, the client and the API document. Tolerant on purpose: fields that
 * are not named here pass to an upstream of the same dialect untouched, and a conversion reports them as lost.
 */
import { type Static, Type } from '../../typebox.ts'
import { Count, cacheMarks, Figure, Flag, Free, Open, OrNull, Text } from './tolerant.ts'

/** A part of a message or of a tool's output, with the fields of every kind that Parley understands. */
export const ResponsesContent = Open({
  type: Text('`input_text`, `output_text`, `refusal`, `input_image`, `input_file` or `input_audio`; other kinds are passed on'),
  text: Text(),
  refusal: Text(),
  annotations: Free('Citations of an answer'),
  logprobs: Free('Of an answer'),
  image_url: Text('An address or a data URL'),
  detail: Text('`auto`, `low`, `high` or `original`'),
  file_id: Text(),
  filename: Text(),
  file_data: Text('A data URL or base64'),
  file_url: Text(),
  input_audio: OrNull(Open({ data: Text('Base64'), format: Text('`wav` or `mp3`') })),
  prompt_cache_breakpoint: cacheMarks.prompt_cache_breakpoint,
})
export type ResponsesContent = Static<typeof ResponsesContent>

/** Messages, calls, results, reasoning, references, with the fields of every kind that Parley understands; others are allowed. */
export const ResponsesItem = Open({
  type: Text(),
  id: Text(),
  status: Free(),
  role: Text('Of a message: `user`, `assistant`, `system` or `developer`'),
  content: OrNull(Type.Union([Type.String(), Type.Array(ResponsesContent)])),
  phase: Text('Of an assistant message: `commentary` or `final_answer`'),
  call_id: Text(),
  name: Text('Of the tool that is called'),
  namespace: Text(),
  arguments: Free('Of a function call: JSON as the model wrote it'),
  input: Free('Of a custom tool call: a text'),
  output: Free('What a tool answered: a text, or a list of parts'),
  summary: Free('Of reasoning: a list of texts'),
  encrypted_content: Text('Of reasoning: state that only its maker can read'),
  tools: Free('Of additional tools: a list of tools'),
})
export type ResponsesItem = Static<typeof ResponsesItem>

/** A tool, with the fields of every kind that Parley understands; hosted tools of other kinds are passed on. */
export const ResponsesTool = Open({
  type: Text('`function`, `custom`, `web_search`, `namespace`, or another hosted tool'),
  name: Text(),
  description: Text(),
  parameters: Free('A JSON Schema'),
  strict: Flag(),
  format: OrNull(Open({ type: Text('`text` or `grammar`'), syntax: Text(), definition: Text() })),
  tools: Free('The tools of a namespace'),
  filters: OrNull(Open({ allowed_domains: Free('A list of domains'), blocked_domains: Free('A list of domains') })),
  search_context_size: Text('`low`, `medium` or `high`'),
  user_location: OrNull(Open({})),
  external_web_access: Free('False = a web search fetches nothing'),
})
export type ResponsesTool = Static<typeof ResponsesTool>

/** POST /v1/responses */
export const ResponsesRequest = Open({
  model: Type.String({ minLength: 1, maxLength: 256 }),
  /** May be absent when a previous response, a conversation or a prompt provides the input. */
  input: OrNull(Type.Union([Type.String(), Type.Array(ResponsesItem)])),
  instructions: OrNull(Type.String()),
  stream: OrNull(Type.Boolean()),
  store: OrNull(Type.Boolean()),
  previous_response_id: OrNull(Type.String()),
  conversation: Free('An id, or an object with one'),
  prompt: Free('A stored prompt: an object with its id'),
  include: Free('A list of what the answer holds besides'),
  max_output_tokens: Count(),
  temperature: Figure(),
  top_p: Figure(),
  top_logprobs: Figure(),
  text: OrNull(
    Open({
      format: OrNull(
        Open({
          type: Text('`text`, `json_object` or `json_schema`'),
          name: Text(),
          description: Text(),
          schema: OrNull(Open({}, { description: 'A JSON Schema' })),
          strict: Flag(),
        }),
      ),
      verbosity: Text('`low`, `medium` or `high`'),
    }),
  ),
  reasoning: OrNull(
    Open({ effort: Text('`none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`'), summary: Free(), generate_summary: Free() }),
  ),
  tools: OrNull(Type.Array(ResponsesTool)),
  tool_choice: OrNull(
    Type.Union([
      Open({ type: Text(), name: Text(), mode: Text('`auto` or `required`'), tools: OrNull(Type.Array(Open({ name: Text() }))) }),
      Type.String(),
    ]),
  ),
  parallel_tool_calls: Flag(),
  max_tool_calls: Free('Of all hosted tools together'),
  service_tier: Free('`auto`, `default`, `flex`, `priority` or `fast`'),
  prompt_cache_key: OrNull(Type.String()),
  safety_identifier: OrNull(Type.String()),
  user: OrNull(Type.String()),
  metadata: OrNull(Open({}, { description: 'A map of texts' })),
  group: Free('The group to use, from the playground'),
  models: Free('Models that may answer in the place of `model`'),
})
export type ResponsesRequest = Static<typeof ResponsesRequest>
