/** The message that a stream is writing: texts and refusals in a row, each a content part with an index. */
import type { Citation, Delta, Phase, TokenLogprob } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import { writeAnnotation } from './citations.ts'
import { lostSource } from './response-write.ts'
import { type Item, messageItem, refusalContent, textContent, writeLogprobs } from './response-write-items.ts'
import type { Draft, Say } from './stream-write-items.ts'

interface Content {
  index: number
  isRefusal: boolean
  pieces: string[]
  length: number
  citations: Citation[]
  logprobs: TokenLogprob[]
  /** How many of them the deltas have told. */
  told: number
}

export interface MessageDraft extends Draft {
  readonly phase: Phase | undefined
  begin(at: number, isRefusal: boolean): void
}

export function messageDraft(id: string, phase: Phase | undefined, say: Say, losses: LossList): MessageDraft {
  const contents = new Map<number, Content>()
  const whole = ({ isRefusal, pieces, citations, logprobs }: Content): Item =>
    isRefusal ? refusalContent(pieces.join('')) : textContent(pieces.join(''), citations, logprobs)

  function addText(content: Content, delta: string): void {
    if (delta === '') return
    content.pieces.push(delta)
    content.length += delta.length
    if (content.isRefusal) say('refusal.delta', { content_index: content.index, delta })
    else tellText(content, delta)
  }

  function tellText(content: Content, delta: string): void {
    const logprobs = writeLogprobs(content.logprobs.slice(content.told))
    content.told = content.logprobs.length
    say('output_text.delta', { content_index: content.index, delta, logprobs })
  }

  function addCitation(content: Content, citation: Citation): void {
    const annotation = writeAnnotation(citation, content.length)
    if (!annotation) lostSource(losses)
    if (!annotation || content.isRefusal) return
    say('output_text.annotation.added', { content_index: content.index, annotation_index: content.citations.length, annotation })
    content.citations.push(citation)
  }

  return {
    phase,
    begin(at, isRefusal) {
      const index = contents.size
      contents.set(at, { index, isRefusal, pieces: [], length: 0, citations: [], logprobs: [], told: 0 })
      say('content_part.added', { content_index: index, part: isRefusal ? refusalContent('') : textContent('') })
    },
    delta(delta: Delta, at: number) {
      const content = contents.get(at)
      if (!content) return
      if ('text' in delta) addText(content, delta.text)
      else if ('citation' in delta) addCitation(content, delta.citation)
      else if ('logprobs' in delta) content.logprobs.push(...delta.logprobs)
    },
    close(at) {
      const content = contents.get(at)
      if (!content) return
      // What came after the last of its text.
      if (content.told < content.logprobs.length) tellText(content, '')
      const text = content.pieces.join('')
      const place = { content_index: content.index }
      if (content.isRefusal) say('refusal.done', { ...place, refusal: text })
      else say('output_text.done', { ...place, text, logprobs: writeLogprobs(content.logprobs) })
      say('content_part.done', { ...place, part: whole(content) })
    },
    item: (status) => messageItem(id, status, status === 'in_progress' ? [] : [...contents.values()].map(whole), phase),
  }
}
