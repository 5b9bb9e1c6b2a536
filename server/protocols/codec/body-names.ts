/**
 * The names that dialects define in request bodies, for `#wire/json-names`: all names in a dialect's schema, at any depth, and those of
 * references to upstream state, which readers look for outside of the schemas. A variant of one of them is refused in every object of a
 * body except free maps and unknown fields.
 */
import { envelopeMarks } from '#canonical/marks'
import type { TSchema } from '#shared/typebox'
import { type NameTable, nameTable } from '#wire/json-names'

/** Fields for ids and locations of state in dialects of OpenAI and Anthropic. */
const stateNames = words(`
  id type previous_response_id comparison_response_id prompt_cache_options conversation prompt instructions session response item
  file_id file_ids file_url file_data file_uri image_url mask input_image_mask container container_id vector_store_id vector_store_ids
  skill_id skill_ids skills environment thread_id assistant_id server_url connector_id authorization mcp_servers authorization_token
  max_tool_calls max_uses truncation background store service_tier speed inference_geo quality size model`)

/** The same in Google's dialects. */
const googleStateNames = words(`
  cachedContent fileUri fileData inlineData fileSearch fileSearchStoreNames retrieval vertexAiSearch datastore dataStore engine
  vertexRagStore ragResources ragCorpus ragFileIds googleMaps urlContext codeExecution serviceTier model`)

const free = {
  openai: words('parameters schema metadata logit_bias variables headers documents chat_template_kwargs'),
  anthropic: words('input input_schema schema metadata'),
  bedrock: words('input json requestMetadata promptVariables additionalModelRequestFields'),
  ollama: words('arguments parameters format options'),
  interactions: words('arguments result parameters schema response_format labels headers'),
  google: words('args response parameters parametersJsonSchema responseSchema responseJsonSchema _responseJsonSchema labels'),
} as const

/** How a mark for a cache begins, as a field. */
export const cacheMark = 'cache_control"'
const sought = [...envelopeMarks, cacheMark]

/** The names of a dialect of this family with these schemas; `more` are others, apart by spaces. */
export function bodyNames(family: keyof typeof free, schemas: readonly TSchema[], more = '', twin?: (name: string) => string): NameTable {
  const names = [...(family === 'google' ? googleStateNames : stateNames), ...words(more), ...schemas.flatMap(namesIn)]
  return nameTable({ names, free: free[family], sought, ...(twin && { twin }) })
}

/** Every name of a field in a schema, at any depth. */
function namesIn(schema: TSchema): string[] {
  const fields: Record<string, TSchema> = schema.properties ?? {}
  const inner: TSchema[] = [...Object.values(fields), ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]
  return [...Object.keys(fields), ...inner.flatMap(namesIn)]
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

/** The names of OpenAI's operations other than generation, and of similar ones. */
export const operationNames = bodyNames(
  'openai',
  [],
  `input voice response_format output_format output_compression background moderation n style user stream stream_format instructions
   speed image images mask partial_images input_fidelity dimensions encoding_format query top_n return_documents max_chunks_per_doc
   max_tokens_per_doc truncate truncation task embedding_type embedding_types input_type late_chunking normalized title language
   temperature prompt group models commands search_query settings`,
)

/** The names of realtime events that clients send. */
export const realtimeNames = bodyNames(
  'openai',
  [],
  `event_id session response item item_id previous_item_id content_index audio_end_ms audio input output format rate transcription
   turn_detection noise_reduction voice modalities output_modalities input_audio_format output_audio_format input_audio_transcription
   tools tool_choice max_output_tokens max_response_output_tokens temperature tracing include client_secret role content text call_id
   name arguments output transcript`,
)
