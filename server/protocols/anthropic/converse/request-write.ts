/**
 * A conversation for Bedrock's Converse. It has the shape of Messages under other names, so the Messages body is written first (order of
 * turns, results of tools, breakpoints, with their losses) and then converted. Read:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import type { Memo, Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest, MediaPart, OutputFormat, Part, Tool } from '#canonical/conversation'
import { hostedTool, joinLosses, type LossList } from '#canonical/loss'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import type { Json } from '../frame.ts'
import { writeRequest as writeMessages } from '../messages/request-write.ts'
import { takesSchema, writeReasoning, writeTopK } from './families.ts'
import { type BlockContext, cachePoint, documentNames, writeBlock } from './request-blocks.ts'

/** Characters of a tool's name; Messages allows twice as many. */
const longestName = 64

const inBucket = ({ source }: MediaPart): boolean => 'url' in source && /^s3:\/\//i.test(source.url)

/** True for an image or document by address: the upstream opens buckets only. */
export const needsBytes = (part: MediaPart): boolean =>
  'url' in part.source && !inBucket(part) && (part.media === 'image' || part.media === 'document')

/** Throws GatewayError `unsupported_value` when this upstream cannot take the request. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  const losses = lossList()
  const asked = plainRequest(request, losses)
  const written = writeMessages(asked, { ...target, capabilities: { ...target.capabilities, noSystemTurns: true } })
  const { body, memo } = converse(written.body, { request, target, losses, memo: written.memo })
  const accept = target.stream ? 'application/vnd.amazon.eventstream' : 'application/json'
  return { body, headers: { accept }, losses: joinLosses(written.losses, losses.losses), memo }
}

/** The request without what Converse expresses elsewhere than Messages, or not at all. */
function plainRequest(request: ConversationRequest, losses: LossList): ConversationRequest {
  for (const { parts } of request.turns) parts.forEach(refuseKeptFile)
  const { topK: _, ...sampling } = request.sampling
  const format: OutputFormat = request.output.format.kind === 'schema' ? { kind: 'text' } : request.output.format
  const { tier: __, ...rest } = request
  return {
    ...rest,
    tools: request.tools.filter((tool) => isCallers(tool, losses)),
    turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(bucketAsData) })),
    output: { ...request.output, format },
    sampling,
    reasoning: {},
  }
}

function isCallers(tool: Tool, losses: LossList): boolean {
  if (tool.kind === 'function' || tool.kind === 'custom') return true
  losses.dropped(tool.kind === 'native' ? hostedTool(tool.name) : 'tools.web-search', 'This upstream has no such tool.')
  return false
}

const kindByEnding: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
}

/** Throws `unsupported_value` for a file stored in an account: no other account has it. */
function refuseKeptFile(part: Part): void {
  if (part.kind === 'result') part.parts.forEach(refuseKeptFile)
  if (part.kind !== 'media' || !('fileId' in part.source)) return
  throw new GatewayError('unsupported_value', 'File ids are not portable.', { param: part.path ?? 'turns.media' })
}

/** Something in a bucket, as if the address were its bytes: the writer of Messages passes both through (`request-blocks.ts`). */
function bucketAsData(part: Part): Part {
  if (part.kind === 'result') return { ...part, parts: part.parts.map((one) => bucketAsData(one) as typeof one) }
  if (part.kind !== 'media' || !('url' in part.source) || !inBucket(part)) return part
  const { url } = part.source
  const mimeType = part.mimeType ?? kindByEnding[/\.(\w+)$/.exec(url)?.[1]?.toLowerCase() ?? '']
  return { ...part, source: { data: url.replace(/^s3/i, 's3') }, ...(mimeType !== undefined && { mimeType }) }
}

interface Writing {
  request: ConversationRequest
  target: Target
  losses: LossList
  memo: Memo
}

function converse(body: Json, writing: Writing): { body: Json; memo: Memo } {
  const { request, target, losses } = writing
  const { names, toolName } = shortNames()
  const context: BlockContext = { losses, toolName, documentName: documentNames() }
  const { model: _, stream: __, max_tokens, stop_sequences, temperature, top_p, system, messages, tools, tool_choice, ...others } = body
  const { metadata, ...unknown } = others
  if (metadata !== undefined) losses.leftOut('identity', 'This upstream has no field for the end user.')
  recordUnread(Object.keys(unknown), losses)

  const turns = (Array.isArray(messages) ? messages : []).filter(isObject).map(({ role, content }) => {
    const blocks = Array.isArray(content) ? content.filter(isObject) : [{ type: 'text', text: content }]
    return { role, content: blocks.flatMap((block) => writeBlock(block, context)) }
  })
  const inference = {
    // Without a limit the model's own holds, which Parley need not know.
    ...(request.output.maxTokens !== undefined && { maxTokens: max_tokens }),
    ...(stop_sequences !== undefined && { stopSequences: stop_sequences }),
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { topP: top_p }),
  }
  const more = { ...writeTopK(request.sampling.topK, target.model, losses), ...writeReasoning(request.reasoning, target.model, losses) }
  const format = request.output.format.kind === 'schema' ? request.output.format : undefined
  const instructions = [...writeSystem(system), ...inWords(format, writing)]
  const toolConfig = writeTools({ tools, choice: tool_choice, turns }, writing, context)
  const tier = request.tier === 'priority' || request.tier === 'flex' || request.tier === 'default' ? request.tier : undefined
  if (request.tier !== undefined && tier === undefined && request.tier !== 'auto') losses.leftOut('tier', 'This upstream has no such tier.')
  return {
    body: {
      messages: turns,
      ...(instructions.length > 0 && { system: instructions }),
      ...(Object.keys(inference).length > 0 && { inferenceConfig: inference }),
      ...(toolConfig && { toolConfig }),
      ...(format && takesSchema(target.model) && { outputConfig: { textFormat: textFormat(format) } }),
      ...(Object.keys(more).length > 0 && { additionalModelRequestFields: more }),
      ...(tier && { serviceTier: { type: tier } }),
    },
    memo: withNames(writing.memo, names),
  }
}

function writeSystem(system: unknown): Json[] {
  const blocks = Array.isArray(system) ? system.filter(isObject) : system === undefined ? [] : [{ type: 'text', text: system }]
  return blocks.flatMap((block) => [{ text: block.text }, ...cachePoint(block)])
}

type SchemaFormat = Extract<OutputFormat, { kind: 'schema' }>

function textFormat({ schema, name, description }: SchemaFormat): Json {
  const jsonSchema = { schema: JSON.stringify(schema), name: name ?? 'answer', ...(description !== undefined && { description }) }
  return { type: 'json_schema', structure: { jsonSchema } }
}

/** A schema for a model that cannot be bound to one. */
function inWords(format: SchemaFormat | undefined, { target, losses }: Writing): Json[] {
  if (!format || takesSchema(target.model)) return []
  losses.dropped('output.format', 'This model cannot be bound to a schema; the prompt describes it instead.')
  const schema = JSON.stringify(format.schema)
  return [{ text: `Answer with one JSON object that fits this schema and nothing else: no code fence, no words around it. ${schema}` }]
}

interface WrittenTools {
  tools: unknown
  choice: unknown
  turns: readonly { content: Json[] }[]
}

const toolFields = new Set(['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'])

function writeTools({ tools, choice, turns }: WrittenTools, { target, losses }: Writing, { toolName }: BlockContext): Json | undefined {
  const listed = (Array.isArray(tools) ? tools : []).filter(isObject)
  const called = turns.flatMap(({ content }) => content.flatMap(({ toolUse }) => (isObject(toolUse) ? [String(toolUse.name)] : [])))
  const chosen = isObject(choice) ? choice : {}
  if (chosen.type === 'none' && called.length === 0) return undefined
  if (chosen.type === 'none') losses.dropped('toolPolicy.mode', 'This upstream cannot forbid tools that the conversation has called.')
  if (chosen.disable_parallel_tool_use === true) losses.dropped('toolPolicy.parallel', 'This upstream may call several tools at once.')
  const specs = listed.flatMap((tool): Json[] => {
    recordUnread(
      Object.keys(tool).flatMap((name) => (toolFields.has(name) ? [] : [`tools.${name}`])),
      losses,
    )
    const strict = tool.strict === true && takesSchema(target.model)
    if (tool.strict === true && !strict) losses.dropped('tools.strict', 'This model cannot be bound to the schema of a tool.')
    const spec = {
      name: toolName(String(tool.name)),
      ...(typeof tool.description === 'string' && tool.description !== '' && { description: tool.description }),
      inputSchema: { json: tool.input_schema },
      ...(strict && { strict }),
    }
    return [{ toolSpec: spec }, ...cachePoint(tool)]
  })
  // A conversation that has called tools must list them.
  const names = new Set(listed.map((tool) => toolName(String(tool.name))))
  for (const name of new Set(called)) if (!names.has(name)) specs.push({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } })
  if (specs.length === 0) return undefined
  return { tools: specs, ...choiceOf(chosen, toolName) }
}

function choiceOf({ type, name }: Json, toolName: (name: string) => string): Json {
  if (type === 'any') return { toolChoice: { any: {} } }
  if (type === 'tool') return { toolChoice: { tool: { name: toolName(String(name)) } } }
  return {}
}

/** Names that are too long, by the short one of each. */
function shortNames(): { names: Map<string, string>; toolName(name: string): string } {
  const names = new Map<string, string>()
  const short = new Map<string, string>()
  return {
    names,
    toolName(name) {
      if (name.length <= longestName) return name
      const known = short.get(name) ?? `${name.slice(0, longestName - 5)}_${short.size + 1}`
      short.set(name, known)
      names.set(known, name)
      return known
    },
  }
}

function withNames(memo: Memo, names: ReadonlyMap<string, string>): Memo {
  if (names.size === 0) return memo
  const renamed = (map: Readonly<Record<string, string>> = {}, own: boolean) =>
    [...names].flatMap(([short, long]) => (Object.hasOwn(map, long) ? [[short, map[long]]] : own ? [[short, long]] : []))
  return {
    ...memo,
    toolNames: { ...memo.toolNames, ...Object.fromEntries(renamed(memo.toolNames, true)) },
    toolSpaces: { ...memo.toolSpaces, ...Object.fromEntries(renamed(memo.toolSpaces, false)) },
  }
}
