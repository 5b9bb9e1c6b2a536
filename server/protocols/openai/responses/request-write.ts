/** A canonical request for an upstream of this dialect. The body is self-contained: nothing is stored there. */
import type { Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest, Effort, Output, OutputFormat, ReasoningSettings, Sampling, ToolPolicy } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import { recordForeign } from '#protocols/codec/extensions'
import { type FieldWriters, lossList, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import { type NameRules, type ToolNames, toolNames } from '#protocols/codec/tool-names'
import { heldTo } from '../strict-schema.ts'
import type { Writing } from './request-write-content.ts'
import { writeInput } from './request-write-input.ts'
import { type ToolWriting, writeToolChoice, writeTools } from './request-write-tools.ts'

type Fields = Record<string, unknown>

const nameRules: NameRules = { foreign: /[^A-Za-z0-9_-]/g, longest: 64 }

/** Extensions that are written separately, or that refer to state already resolved into the conversation. */
const placed = new Set(['namespaces', 'reasoning', 'tool_choice', 'include', 'store', 'previous_response_id', 'conversation'])

interface RequestWriting extends Writing {
  names: ToolNames
}

/** Throws GatewayError `unsupported_value` for what the upstream cannot express. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  const losses = lossList()
  recordForeign(request, 'responses', losses)
  refuseUnsupported(request)
  const names = toolNames(request, nameRules)
  const body = writeFields(request, requestWriters, { request, target, losses, names })
  return { body, headers: {}, losses: losses.losses, memo: { ...names.memo(), wrappedTools: [], ...stopsHere(request.output) } }
}

/** The upstream does not support stop sequences: its answer is cut here. */
const stopsHere = ({ stop }: Output) => (stop.length > 0 ? { stopHere: stop } : {})

/** Refused before anything is written. */
function refuseUnsupported(request: ConversationRequest): void {
  const { output, sampling } = request
  if (output.n > 1) throw cannotCarry(request, 'output.n', 'This upstream gives one answer at a time.')
  if (output.modalities.length > 0) throw cannotCarry(request, 'output.modalities', 'This upstream answers in text.')
  if (sampling.logitBias) throw cannotCarry(request, 'sampling.logitBias', 'Token ids mean nothing to another upstream.')
}

const requestWriters: FieldWriters<ConversationRequest, RequestWriting> = {
  extensions: ({ responses = {} }, { request, target }) => ({
    ...Object.fromEntries(Object.entries(responses).filter(([field]) => !placed.has(field))),
    include: includes(request, target),
    store: responses.store ?? false,
  }),
  model: (_, { target }) => ({ model: target.model }),
  turns: (_, writing) => ({ ...writeInput(writing) }),
  instructions: writtenElsewhere,
  tools: (_, writing) => writeToolFields(writing),
  toolPolicy: writtenElsewhere,
  output: writeOutput,
  sampling: (sampling, writing) => writeFields(sampling, samplingWriters, writing),
  reasoning: writeReasoning,
  cache: ({ key }) => (key === undefined ? undefined : { prompt_cache_key: key }),
  tier: (service_tier) => ({ service_tier }),
  identity: (identity, writing) => writeFields(identity, identityWriters, writing),
  stream: (_, { target }) => (target.stream ? { stream: true } : undefined),
  // Usage is in the last event of every stream.
  usageAsked: notNeeded,
  // Recorded as losses before anything is written.
  unread: writtenElsewhere,
  // About the request, not of it.
  dialect: notNeeded,
  paths: notNeeded,
}

function writeToolFields(writing: RequestWriting): Fields | undefined {
  const { request, losses, names } = writing
  const toolWriting: ToolWriting = { request, losses, names, strict: request.dialect === 'responses' ? undefined : false }
  const tools = writeTools(toolWriting)
  if (tools.length === 0) return undefined
  return { tools, ...mostSearches(request), ...writeFields(request.toolPolicy, policyWriters, { ...toolWriting, target: writing.target }) }
}

/** The only hosted tool from other dialects is the search, so its limit is that of all hosted tools. */
function mostSearches({ dialect, tools }: ConversationRequest): Fields | undefined {
  const limits = dialect === 'responses' ? [] : tools.flatMap((tool) => (tool.kind === 'web-search' ? (tool.maxUses ?? []) : []))
  return limits.length > 0 ? { max_tool_calls: Math.max(...limits) } : undefined
}

const policyWriters: FieldWriters<ToolPolicy, ToolWriting & Pick<Writing, 'target'>> = {
  mode: (mode, writing) => {
    if (mode === 'required' && writing.target.capabilities.forcedToolRefused === true) {
      writing.losses.dropped('toolPolicy.mode', 'This model decides by itself whether it calls a tool.')
      return undefined
    }
    const choice = writeToolChoice(writing)
    return choice === undefined ? undefined : { tool_choice: choice }
  },
  only: writtenElsewhere,
  parallel: (parallel_tool_calls) => ({ parallel_tool_calls }),
}

/** The smallest limit that the upstream takes, in tokens. */
const leastTokens = 16

/** `text` combines two canonical fields. */
function writeOutput(output: Output, writing: Writing): Fields {
  const { text, ...fields } = writeFields(output, outputWriters, { ...writing, text: {} })
  return { ...fields, ...(typeof text === 'object' && text !== null && Object.keys(text).length > 0 && { text }) }
}

const outputWriters: FieldWriters<Output, Writing & { text: Fields }> = {
  maxTokens: (maxTokens, { losses }) => {
    if (maxTokens < leastTokens) losses.adapted('output.maxTokens', `The smallest limit of this upstream is ${leastTokens} tokens.`)
    return { max_output_tokens: Math.max(leastTokens, maxTokens) }
  },
  format: (format, { request, losses, text }) => {
    if (format.kind !== 'text') text.format = formatField(heldTo(format, { request, losses }), request.dialect === 'responses')
    return { text }
  },
  verbosity: (verbosity, { text }) => {
    text.verbosity = verbosity
    return { text }
  },
  logprobs: (top_logprobs) => ({ top_logprobs }),
  // In the memo: stopsHere.
  stop: writtenElsewhere,
  // Refused if any are requested.
  modalities: writtenElsewhere,
  n: writtenElsewhere,
}

type SchemaFormat = Extract<OutputFormat, { kind: 'schema' }>

/** Also used for the echo of the format in a response, where `isOwn` leaves out what the caller did not set. */
export function formatField(format: OutputFormat, isOwn: boolean): Fields {
  if (format.kind !== 'schema') return { type: format.kind === 'json' ? 'json_object' : 'text' }
  // The upstream requires a name, and treats a schema as strict unless told otherwise.
  const complete: SchemaFormat = { name: 'answer', ...(!isOwn && { strict: false }), ...format }
  return { type: 'json_schema', ...writeFields(complete, schemaWriters, undefined) }
}

const schemaWriters: FieldWriters<SchemaFormat, undefined> = {
  name: (name) => ({ name: name.replace(nameRules.foreign, '_').slice(0, 64) || 'answer' }),
  description: (description) => ({ description }),
  schema: (schema) => ({ schema }),
  strict: (strict) => ({ strict }),
}

const samplingWriters: FieldWriters<Sampling, Writing> = {
  temperature: (temperature, writing) => tuned('sampling.temperature', { temperature }, writing),
  topP: (top_p, writing, { temperature }) => {
    const { samplingRefused, topPWithTemperatureRefused } = writing.target.capabilities
    if (samplingRefused || !topPWithTemperatureRefused || temperature === undefined) return tuned('sampling.topP', { top_p }, writing)
    writing.losses.dropped('sampling.topP', 'This model takes a temperature or top_p, not both.')
    return undefined
  },
  topK: (_, { losses }) => {
    losses.dropped('sampling.topK', 'This upstream does not have it.')
    return undefined
  },
  seed: (_, writing) => notHere('sampling.seed', writing),
  frequencyPenalty: (_, writing) => notHere('sampling.frequencyPenalty', writing),
  presencePenalty: (_, writing) => notHere('sampling.presencePenalty', writing),
  // Refused: ids of tokens belong to one model.
  logitBias: writtenElsewhere,
}

/** A field that models with sampling of their own refuse. */
function tuned(name: string, field: Fields, { target, losses }: Writing): Fields | undefined {
  if (!target.capabilities.samplingRefused) return field
  losses.dropped(name, 'This model does not accept sampling parameters.')
  return undefined
}

function notHere(name: string, { losses }: Writing): undefined {
  losses.dropped(name, 'This upstream does not have it.')
}

function writeReasoning(settings: ReasoningSettings, writing: Writing): Fields | undefined {
  const { request, target, losses } = writing
  if (target.capabilities.reasoningRefused === true) {
    if (settings.effort !== undefined || settings.budget !== undefined) losses.leftOut('reasoning', 'This model does not reason.')
    return undefined
  }
  const own = request.extensions.responses?.reasoning
  const reasoning = { ...writeFields(settings, reasoningWriters, writing), ...(typeof own === 'object' && own) }
  return Object.keys(reasoning).length > 0 ? { reasoning } : undefined
}

const reasoningWriters: FieldWriters<ReasoningSettings, Writing> = {
  effort: (effort, writing) => ({ effort: reachable(effort, writing) }),
  budget: (budget, writing, { effort }) => {
    if (effort !== undefined || budget < 0) return undefined
    const nearest = reachable(effortOf(budget), writing)
    if (budget > 0) writing.losses.adapted('reasoning.budget', 'This upstream has efforts, not budgets.')
    return { effort: nearest }
  },
  visible: (visible) => (visible === 'none' ? undefined : { summary: 'auto' }),
  // The model decides by itself anyway.
  adaptive: notNeeded,
}

function effortOf(budget: number): Effort {
  if (budget === 0) return 'none'
  if (budget <= 2048) return 'low'
  if (budget <= 8192) return 'medium'
  return budget <= 24_576 ? 'high' : 'xhigh'
}

function reachable(effort: Effort, { target, losses }: Writing): Effort {
  if (effort !== 'none' || target.capabilities.thinkingAlwaysOn !== true) return effort
  losses.altered('reasoning.effort', 'This model always reasons; it does so as little as it can.')
  return 'minimal'
}

/** The longest name of an end user that the upstream takes. */
const longestUser = 128

const identityWriters: FieldWriters<ConversationRequest['identity'], Writing> = {
  endUser: (endUser, { request, losses }) => {
    if (endUser.length > longestUser) {
      losses.leftOut('identity.endUser', `This upstream takes names of users up to ${longestUser} characters.`)
      return undefined
    }
    // The old name of the field is sent back unchanged, among the extensions.
    return request.extensions.responses?.user === endUser ? undefined : { safety_identifier: endUser }
  },
  metadata: (metadata) => ({ metadata }),
}

/** Encrypted reasoning is always requested: it lets a conversation continue without stored state. */
function includes({ extensions, output }: ConversationRequest, { capabilities }: Target): string[] {
  const asked = extensions.responses?.include
  const wanted = new Set(Array.isArray(asked) ? asked.filter((one) => typeof one === 'string') : [])
  if (capabilities.reasoningRefused !== true) wanted.add('reasoning.encrypted_content')
  if (output.logprobs !== undefined) wanted.add('message.output_text.logprobs')
  return [...wanted]
}
