/** Events of one answer, put together into parts. */
import type { Choice, ConversationEvent, ConversationResponse, Delta, Part, PartHead, TokenLogprob } from '#canonical/conversation'
import { noUsage } from '#canonical/usage'

/** `events` are complete and in order. */
export function gathered(events: readonly ConversationEvent[]): ConversationResponse {
  const response: ConversationResponse = { id: '', model: '', created: 0, choices: [], usage: noUsage() }
  const choices = new Map<number, { parts: Map<number, Part>; logprobs: TokenLogprob[] }>()
  const choiceOf = (index: number) => {
    const choice = choices.get(index) ?? { parts: new Map<number, Part>(), logprobs: [] }
    choices.set(index, choice)
    return choice
  }
  for (const event of events) {
    if (event.kind === 'start')
      Object.assign(response, { id: event.id, model: event.model, created: event.created, usage: event.usage ?? noUsage() })
    else if (event.kind === 'usage') response.usage = event.usage
    else if (event.kind === 'open') choiceOf(event.choice).parts.set(event.at, opened(event.part))
    else if (event.kind === 'delta' && 'logprobs' in event.delta) choiceOf(event.choice).logprobs.push(...event.delta.logprobs)
    else if (event.kind === 'delta') grow(choiceOf(event.choice).parts.get(event.at), event.delta)
    else if (event.kind === 'finish') {
      const { parts, logprobs } = choiceOf(event.choice)
      const choice: Choice = { index: event.choice, parts: [...parts.values()], finish: event.finish }
      response.choices.push(logprobs.length > 0 ? { ...choice, logprobs } : choice)
    }
  }
  response.choices.sort((a, b) => a.index - b.index)
  return response
}

function opened(head: PartHead): Part {
  switch (head.kind) {
    case 'text':
    case 'refusal':
      return { kind: head.kind, text: '' }
    case 'reasoning':
      return { ...head, text: [], opaque: [] }
    case 'call':
      return { ...head, argsText: '' }
    case 'media':
      return { ...head, source: { data: '' } }
    case 'native':
      return { ...head }
  }
}

function grow(part: Part | undefined, delta: Delta): void {
  if (!part) return
  if ('opaque' in delta && part.kind !== 'native' && part.kind !== 'refusal' && part.kind !== 'result') {
    part.opaque ??= []
    part.opaque.push(delta.opaque)
  } else if ('citation' in delta && part.kind === 'text') {
    part.citations ??= []
    part.citations.push(delta.citation)
  } else if ('data' in delta && part.kind === 'media') part.source = { data: delta.data }
  else if ('text' in delta) addText(part, delta.text)
}

function addText(part: Part, text: string): void {
  if (part.kind === 'text' || part.kind === 'refusal') part.text += text
  else if (part.kind === 'call') part.argsText += text
  else if (part.kind === 'reasoning') part.text = [(part.text[0] ?? '') + text]
}
