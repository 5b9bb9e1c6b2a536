/**
 * A request of Converse or ConverseStream in the Messages format, without its model, which is in the URL. Read:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import type { LossList } from '#canonical/loss'
import type { Reworded } from '#canonical/wording'
import { bodyNames } from '#protocols/codec/body-names'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { type Fields, invalidField, readBody } from '#protocols/codec/fields'
import { GatewayError } from '#shared/errors'
import { exact, parseExactObject } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { ConverseRequest, type ConverseTool } from '#shared/protocols/bedrock/converse'
import { keepCallNumbers, scanObject } from '#wire/json-scan'
import type { Json } from '../frame.ts'
import { mark, readBlocks } from './client-blocks.ts'

const names = bodyNames('bedrock', [ConverseRequest])

/** Messages must have a limit, Converse need not. */
const usualLimit = 4096

/** Throws GatewayError for a request that cannot be read, or expressed in Messages. */
export function readConverse(text: string, stream: boolean): Reworded {
  const losses = lossList()
  const scan = scanObject(text, names)
  keepCallNumbers(scan)
  const { fields: body, unread } = readBody<ConverseRequest>(scan.value)
  const messages = body.objects('messages').map((turn) => ({
    role: turn.word('role', ['user', 'assistant']) ?? turn.needText('role'),
    content: readBlocks(turn.objects('content'), losses),
  }))
  const system = readBlocks(body.objects('system'), losses)
  const asked = {
    messages,
    ...(system.length > 0 && { system }),
    ...readInference(body, losses),
    ...readTools(body, losses),
    ...readMore(body, losses),
    ...(stream && { stream }),
  }
  leaveBehind(body, losses)
  recordUnread(unread(), losses)
  return { body: JSON.stringify(asked), losses: losses.losses }
}

function readInference(body: Fields<ConverseRequest>, losses: LossList): Json {
  const set = body.object('inferenceConfig')
  const limit = set?.integer('maxTokens', 1)
  const temperature = set?.number('temperature')
  const topP = set?.number('topP')
  const stop = set?.texts('stopSequences') ?? []
  if (limit === undefined)
    losses.altered('inferenceConfig.maxTokens', `Without it an answer has ${usualLimit.toLocaleString('en')} tokens at most.`)
  return {
    max_tokens: limit ?? usualLimit,
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop.length > 0 && { stop_sequences: stop }),
  }
}

function readTools(body: Fields<ConverseRequest>, losses: LossList): Json {
  const config = body.object('toolConfig')
  if (!config) return {}
  const tools: Json[] = []
  for (const tool of config.objects('tools')) {
    const point = tool.object('cachePoint')
    if (point) mark(tools.at(-1), point.whole(), losses)
    else tools.push(readTool(tool))
  }
  const choice = config.object('toolChoice')
  const forced = choice?.object('tool')
  const kind = choice?.has('any') ? 'any' : 'auto'
  choice?.ignore('any', 'auto')
  const chosen = forced ? { type: 'tool', name: forced.needText('name') } : { type: kind }
  return { tools, ...(choice && { tool_choice: chosen }) }
}

function readTool(tool: Fields<ConverseTool>): Json {
  const spec = tool.object('toolSpec')
  if (!spec)
    throw new GatewayError('unsupported_value', 'Parley does not support system tools of Bedrock.', { param: tool.pathOf('systemTool') })
  const description = spec.text('description')
  const strict = spec.flag('strict')
  return {
    name: spec.needText('name'),
    input_schema: exact(spec.needObject('inputSchema').json('json')),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  }
}

/** What families of models call how hard they think. */
const efforts = ['reasoning_effort', 'reasoning_config'] as const

/** What Converse passes on to a model as it is, and the form of the answer: as far as Messages has it. */
function readMore(body: Fields<ConverseRequest>, losses: LossList): Json {
  const more = body.object('additionalModelRequestFields')?.as<Json>()
  const own = { thinking: more?.json('thinking'), top_k: more?.json('top_k'), output_config: exact(more?.json('output_config')) }
  const effort = efforts.map((name) => more?.json(name)).find((value) => typeof value === 'string')
  const betas = more?.json('anthropic_beta')
  if (betas !== undefined) losses.leftOut('additionalModelRequestFields.anthropic_beta', 'Beta features are requested by their fields.')
  const format = readFormat(body, losses)
  const output = {
    ...(isObject(own.output_config) && own.output_config),
    ...(effort !== undefined && { effort }),
    ...(format && { format }),
  }
  return {
    ...(own.thinking !== undefined && { thinking: own.thinking }),
    ...(own.top_k !== undefined && { top_k: own.top_k }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
  }
}

function readFormat(body: Fields<ConverseRequest>, losses: LossList): Json | undefined {
  const format = body.object('outputConfig')?.object('textFormat')
  if (!format) return undefined
  format.word('type', ['json_schema'])
  const structure = format.needObject('structure').needObject('jsonSchema')
  const schema = parseExactObject(structure.needText('schema'))
  if (!schema) throw invalidField(structure.pathOf('schema'), 'a JSON Schema as text')
  for (const label of ['name', 'description'] as const)
    if (structure.has(label)) losses.leftOut(`outputConfig.textFormat.${label}`, 'Schemas have no names here.')
  structure.ignore('name', 'description')
  return { type: 'json_schema', schema }
}

function leaveBehind(body: Fields<ConverseRequest>, losses: LossList): void {
  if (body.has('promptVariables')) {
    throw new GatewayError('unsupported_here', 'Stored prompts are in the account of one upstream: send the messages instead.', {
      param: 'promptVariables',
    })
  }
  if (body.has('guardrailConfig')) losses.dropped('guardrailConfig', 'Guardrails are in the account of one upstream.')
  if (body.has('additionalModelResponseFieldPaths'))
    losses.dropped('additionalModelResponseFieldPaths', 'Answers have no further fields here.')
  for (const hint of ['requestMetadata', 'performanceConfig', 'serviceTier'] as const) {
    if (body.has(hint)) losses.leftOut(hint, 'This is a hint to Bedrock itself.')
  }
  body.ignore('guardrailConfig', 'additionalModelResponseFieldPaths', 'requestMetadata', 'performanceConfig', 'serviceTier')
}
