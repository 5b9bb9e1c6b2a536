/** The settings of an interaction, in the Responses format. */
import type { LossList } from '#canonical/loss'
import { type Fields, invalidField } from '#protocols/codec/fields'
import { GatewayError } from '#shared/errors'
import { exact } from '#shared/exact-numbers'
import { isObject, type JsonObject } from '#shared/json'
import type { InteractionConfig, InteractionFormat, InteractionRequest, InteractionTool } from '#shared/protocols/gemini/interactions'

const tiers: Readonly<Record<string, string>> = { standard: 'default', flex: 'flex', priority: 'priority' }

/** All fields except the content and those that make it a conversation. Throws GatewayError. */
export function readSettings(body: Fields<InteractionRequest>, losses: LossList): JsonObject {
  const config = body.object('generation_config')?.as<InteractionConfig>()
  const tools = body.objects('tools').map((tool) => readTool(tool.as<InteractionTool>(), losses))
  const tier = body.text('service_tier')
  if (tier !== undefined && tiers[tier] === undefined) losses.leftOut('service_tier', 'This tier is Gemini’s own.')
  const labels = body.json('labels')
  return {
    ...(config && readConfig(config, losses)),
    ...readFormat(body, losses),
    ...(tools.length > 0 && { tools }),
    ...(tier !== undefined && tiers[tier] !== undefined && { service_tier: tiers[tier] }),
    ...(isObject(labels) && { metadata: labels }),
  }
}

function readConfig(config: Fields<InteractionConfig>, losses: LossList): JsonObject {
  const temperature = config.number('temperature')
  const topP = config.number('top_p')
  const limit = config.integer('max_output_tokens', 1)
  const effort = config.word('thinking_level', ['minimal', 'low', 'medium', 'high', 'xhigh'])
  const shows = config.word('thinking_summaries', ['auto', 'none'])
  for (const field of ['stop_sequences', 'seed'] as const) {
    if (config.has(field)) losses.dropped(config.pathOf(field), 'A conversation that is kept has no such setting here.')
    config.ignore(field)
  }
  const reasoning = { ...(effort && { effort }), ...(shows === 'auto' && { summary: 'auto' }) }
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...readChoice(config, losses),
  }
}

const modes: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none', validated: 'auto' }

function readChoice(config: Fields<InteractionConfig>, losses: LossList): JsonObject {
  const kind = config.kind('tool_choice')
  if (kind === 'absent') return {}
  const path = config.pathOf('tool_choice')
  if (kind === 'text') return { tool_choice: modeOf(config.word('tool_choice', ['auto', 'any', 'none', 'validated']), path, losses) }
  const allowed = config.needObject('tool_choice').needObject('allowed_tools')
  const mode = modeOf(allowed.word('mode', ['auto', 'any', 'none', 'validated']), allowed.path, losses)
  const names = allowed.texts('tools')
  if (mode === 'none' || names.length === 0) return { tool_choice: mode }
  return { tool_choice: { type: 'allowed_tools', mode, tools: names.map((name) => ({ type: 'function', name })) } }
}

function modeOf(mode: string | undefined, path: string, losses: LossList): string {
  if (mode === 'validated') losses.altered(path, 'The model chooses freely, and the schemas of calls are not enforced.')
  return modes[mode ?? 'auto'] ?? 'auto'
}

/** For features of Google's own service that no model has: Parley stores the interactions, and only gets answers from models. */
export const onlyNative = (param: string, what: string) =>
  new GatewayError(
    'unsupported_here',
    `${what} needs Google’s own service of interactions: a channel of the vendor \`gemini\` or \`parley\` that offers this model, or this agent under its name. On others Parley keeps interactions itself and asks a model for each answer.`,
    { param },
  )

function readTool(tool: Fields<InteractionTool>, losses: LossList): JsonObject {
  const type = tool.needText('type')
  switch (type) {
    case 'function': {
      const description = tool.text('description')
      const parameters = exact(tool.json('parameters')) ?? { type: 'object', properties: {} }
      return { type, name: tool.needText('name'), parameters, strict: false, ...(description !== undefined && { description }) }
    }
    case 'google_search': {
      const types = tool.texts('search_types')
      if (types.some((one) => one !== 'web_search')) losses.dropped(tool.pathOf('search_types'), 'Only the web is searched.')
      return { type: 'web_search' }
    }
    case 'code_execution':
      return { type: 'code_interpreter', container: { type: 'auto' } }
    case 'mcp_server':
      return readServer(tool)
    default:
      throw onlyNative(tool.pathOf('type'), 'This tool')
  }
}

function readServer(tool: Fields<InteractionTool>): JsonObject {
  const headers = tool.json('headers')
  const asked = tool.json('allowed_tools')
  const allowed = (Array.isArray(asked) ? asked : []).flatMap((one) => (isObject(one) && Array.isArray(one.tools) ? one.tools : []))
  return {
    ...{ type: 'mcp', server_label: tool.needText('name'), server_url: tool.needText('url'), require_approval: 'never' },
    ...(isObject(headers) && { headers }),
    ...(allowed.length > 0 && { allowed_tools: allowed }),
  }
}

function readFormat(body: Fields<InteractionRequest>, losses: LossList): JsonObject {
  const mime = body.text('response_mime_type')
  const modalities = body.texts('response_modalities')
  if (modalities.some((one) => one.toLowerCase() !== 'text')) throw onlyNative('response_modalities', 'An answer that is not text')
  const kind = body.kind('response_format')
  const formats = kind === 'object' ? [body.needObject('response_format')] : body.objects('response_format')
  const [format, another] = formats.map((one) => one.as<InteractionFormat>())
  if (another) throw invalidField('response_format', 'one format')
  if (!format) return mime === 'application/json' ? asJson(undefined) : {}
  // The older form is the schema itself.
  if (format.has('type') && format.text('type') !== 'text') {
    const kind = String(format.json('type'))
    if (['image', 'audio', 'video'].includes(kind)) throw onlyNative('response_format', 'An answer that is not text')
    if (!schemaKinds.has(kind)) throw invalidField('response_format.type', '`text`, or the type of a JSON Schema')
    return asJson(exact(format.whole()))
  }
  const asked = format.text('mime_type') ?? mime
  const schema = exact(format.json('schema'))
  if (schema === undefined && asked === undefined && !format.has('type')) return asJson(exact(format.whole()))
  if (asked !== undefined && !['application/json', 'text/plain'].includes(asked))
    losses.dropped('response_format.mime_type', 'An answer is text or JSON.')
  return schema === undefined && asked !== 'application/json' ? {} : asJson(schema)
}

const schemaKinds = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

const asJson = (schema: unknown): JsonObject => ({
  text: { format: isObject(schema) ? { type: 'json_schema', name: 'answer', schema, strict: false } : { type: 'json_object' } },
})
