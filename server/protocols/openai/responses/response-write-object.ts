/** The response object around an answer: every field is there, and the caller's own wishes are echoed. */
import type { ConversationRequest } from '#canonical/conversation'
import { lossList } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import { formatField } from './request-write.ts'
import { writeToolChoice, writeTools } from './request-write-tools.ts'
import { writeUsage } from './usage.ts'

type Fields = Record<string, unknown>

/** What is known of an answer at one moment. */
export interface Told {
  id: string
  created: number
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  /** Seconds since the epoch. */
  completedAt?: number
  incomplete?: { reason: string } | null
  error?: Fields
  output: Fields[]
  usage?: Usage | undefined
  tier?: string | undefined
}

export function responseObject(echo: Fields, told: Told): Fields {
  return {
    id: told.id,
    object: 'response',
    created_at: told.created,
    status: told.status,
    completed_at: told.completedAt ?? null,
    error: told.error ?? null,
    incomplete_details: told.incomplete ?? null,
    output: told.output,
    usage: told.usage ? writeUsage(told.usage) : null,
    ...echo,
    ...(told.tier !== undefined && { service_tier: told.tier }),
  }
}

/** The fields of every response that repeat the request, with the defaults where it was silent. */
export function echoOf(asked: ConversationRequest): Fields {
  const { output, sampling, identity, cache } = asked
  const own = asked.extensions.responses ?? {}
  const names = { out: (name: string) => name }
  const tools = { request: asked, losses: lossList(), names, strict: true }
  return {
    background: own.background ?? false,
    conversation: typeof own.conversation === 'string' ? { id: own.conversation } : (own.conversation ?? null),
    frequency_penalty: 0,
    instructions: fieldInstructions(asked),
    max_output_tokens: output.maxTokens ?? null,
    max_tool_calls: own.max_tool_calls ?? null,
    metadata: identity.metadata ?? {},
    model: asked.model,
    parallel_tool_calls: asked.toolPolicy.parallel ?? true,
    presence_penalty: 0,
    previous_response_id: own.previous_response_id ?? null,
    prompt: own.prompt ?? null,
    prompt_cache_key: cache.key ?? null,
    prompt_cache_retention: own.prompt_cache_retention ?? null,
    reasoning: reasoningEcho(asked),
    safety_identifier: own.user === identity.endUser ? null : (identity.endUser ?? null),
    service_tier: asked.tier ?? own.service_tier ?? 'default',
    store: own.store ?? true,
    temperature: sampling.temperature ?? 1,
    text: { format: formatField(output.format, true), verbosity: output.verbosity ?? 'medium' },
    tool_choice: writeToolChoice(tools) ?? 'auto',
    tools: writeTools(tools),
    top_logprobs: output.logprobs ?? 0,
    top_p: sampling.topP ?? 1,
    truncation: own.truncation ?? 'disabled',
    user: own.user ?? null,
  }
}

function fieldInstructions({ instructions }: ConversationRequest): string | null {
  const [first] = instructions
  return first && !first.item ? first.text : null
}

function reasoningEcho({ reasoning, extensions }: ConversationRequest): Fields {
  const own = extensions.responses?.reasoning
  return {
    effort: reasoning.effort ?? null,
    summary: reasoning.visible === 'summary' ? 'auto' : null,
    ...(typeof own === 'object' && own),
  }
}
