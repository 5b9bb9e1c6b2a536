/**
 * One candidate of an upstream answer, read into events. Text grows over chunks; a call, a picture and everything else arrive whole. A part
 * ends with its signature, so that nothing is ever added to signed content.
 */
import type { CodecContext, Memo } from '#canonical/codec'
import type { Opaque } from '#canonical/conversation'
import type { ConversationEvent, Delta, PartHead } from '#canonical/conversation-event'
import type { LossList } from '#canonical/loss'
import type { Fields } from '#protocols/codec/fields'
import { clientName } from '#protocols/codec/tool-names'
import { unwrapInput } from '#protocols/codec/wrapped-tool'
import { exact, exactCall } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { GeminiCandidate, GeminiPart } from '#shared/protocols/gemini/generate-content'
import { type Body, pick, pickObject, pickObjects, pickText } from '../proto-json.ts'
import { detailsOf, type PlacedSource, readCitations, sourceKinds, textPositions } from './citations.ts'
import { readFinish } from './finish.ts'
import { readLogprobs } from './logprobs.ts'
import { isEmptyPart, mediaKind, nativePart, signatureOf } from './part.ts'
import { finishWord } from './response-meter.ts'
import { type PartialArgs, partialArgs } from './stream-read-arguments.ts'

interface OpenCall {
  call: Body
  args: PartialArgs
  opaque: Opaque[]
}

/** Reads one candidate, chunk by chunk. */
export interface CandidateReader {
  push(candidate: Fields<GeminiCandidate>): ConversationEvent[]
  /** Closes open parts, and finishes the candidate; empty if it has not ended. */
  finish(): ConversationEvent[]
  isFinished(): boolean
}

/** `keepsText` lets citations be placed in any text; a stream places them in ASCII only and keeps no text. */
export function candidateReader(
  choice: number,
  memo: Memo,
  codecContext: CodecContext,
  losses: LossList,
  keepsText: boolean,
): CandidateReader {
  const ruler = textPositions(keepsText)
  const cited = new Set<string>()
  const known = new Set<string | undefined>()
  let events: ConversationEvent[] = []
  let places = 0
  let open: { kind: 'text' | 'reasoning'; at: number; startUnits: number; startBytes: number } | undefined
  let openCall: OpenCall | undefined
  let pending: { citations: PlacedSource[]; logprobs: ReturnType<typeof readLogprobs> } = { citations: [], logprobs: [] }
  let hasCalls = false
  let reason: string | undefined

  const grow = (at: number, delta: Delta) => events.push({ kind: 'delta', choice, at, delta })

  function begin(part: PartHead): number {
    events.push({ kind: 'open', choice, at: places, part })
    return places++
  }

  function close(): void {
    if (!open) return
    annotate()
    events.push({ kind: 'close', choice, at: open.at })
    open = undefined
  }

  /** A part that arrives complete. */
  function whole(part: PartHead, ...deltas: Delta[]): void {
    const at = begin(part)
    for (const delta of deltas) grow(at, delta)
    events.push({ kind: 'close', choice, at })
  }

  function readPart(part: Fields<GeminiPart>): void {
    const call = part.json('functionCall')
    const text = part.textIf('text')
    const isThought = part.json('thought') === true
    const data = part.objectIf('inlineData')
    const signature = signatureOf(part)
    if (!isObject(call)) endCall()
    if (isObject(call)) {
      part.objectIf('functionCall')?.ignore('id', 'name', 'args', 'partialArgs', 'willContinue')
      readCall(call, signature)
    } else if (text !== undefined) readText(text, isThought ? 'reasoning' : 'text', signature)
    else if (data) readMedia(data, signature)
    else readOther(part.whole(), signature)
  }

  /** A bare signature, or a kind of part that only this dialect has. */
  function readOther(part: Body, signature: Opaque[]): void {
    if (signature.length > 0 && isEmptyPart({ ...part, thoughtSignature: undefined, thought_signature: undefined })) hide(signature)
    else if (!isEmptyPart(part)) {
      close()
      whole(nativePart(exact(part)))
    }
  }

  function readText(text: string, kind: 'text' | 'reasoning', signature: Opaque[]): void {
    const goesOn = open?.kind === kind
    if (text === '' && !(goesOn && kind === 'reasoning')) hide(signature)
    else {
      const at = goesOn && open ? open.at : beginText(kind)
      if (text !== '') grow(at, { text })
      if (kind === 'text') ruler.add(text)
      for (const opaque of signature) grow(at, { opaque })
      if (signature.length > 0) close()
    }
  }

  function beginText(kind: 'text' | 'reasoning'): number {
    close()
    const at = begin(kind === 'text' ? { kind } : { kind, form: 'summary' })
    open = { kind, at, startUnits: ruler.units, startBytes: ruler.bytes }
    return at
  }

  /** A signature without text. An open text stays open, because its sources may still arrive. */
  function hide(signature: Opaque[]): void {
    if (signature.length === 0) return
    if (open?.kind === 'reasoning') close()
    whole({ kind: 'reasoning', form: 'hidden' }, ...signature.map((opaque) => ({ opaque })))
  }

  function readMedia(data: Fields<NonNullable<GeminiPart['inlineData']>>, signature: Opaque[]): void {
    const mimeType = data.textIf('mimeType')
    close()
    whole(
      { kind: 'media', media: mediaKind(mimeType ?? ''), ...(mimeType !== undefined && { mimeType }) },
      { data: data.textIf('data') ?? '' },
      ...signature.map((opaque) => ({ opaque })),
    )
  }

  function readCall(call: Body, opaque: Opaque[]): void {
    const name = pickText(call, 'name') ?? ''
    const goesOn = openCall && (name === '' || (call.id !== undefined && call.id === openCall.call.id))
    if (!goesOn) {
      endCall()
      if (name === '') return
      close()
      openCall = { call, args: partialArgs(), opaque }
    }
    if (!openCall) return
    openCall.opaque.push(...(goesOn ? opaque : []))
    for (const piece of pickObjects(call, 'partialArgs')) openCall.args.add(exactCall(piece))
    if (pick(call, 'willContinue') !== true) endCall()
  }

  function endCall(): void {
    if (!openCall) return
    const { call, args, opaque } = openCall
    openCall = undefined
    hasCalls = true
    const given = pickObject(call, 'args')
    writeCall(call, given && Object.keys(given).length > 0 ? JSON.stringify(exactCall(given)) : args.text(), opaque)
  }

  function writeCall(call: Body, argsText: string, opaque: Opaque[]): void {
    const named = clientName(memo, pickText(call, 'name') ?? '')
    const isWrapped = memo.wrappedTools.includes(named.name)
    const callId = pickText(call, 'id') || codecContext.id('call_')
    const form = isWrapped ? 'text' : 'json'
    whole(
      { kind: 'call', callId, ...named, form, ...(opaque.length > 0 && { opaque }) },
      { text: isWrapped ? unwrapInput(argsText) : argsText },
    )
  }

  /** Adds sources and probabilities to the open text. */
  function annotate(): void {
    if (open?.kind !== 'text') return
    const { at, startUnits, startBytes } = open
    if (pending.logprobs.length > 0) grow(at, { logprobs: pending.logprobs })
    pending.logprobs = []
    pending.citations = pending.citations.filter(({ citation, bytes }) => {
      if (bytes && (bytes.start < startBytes || bytes.end > ruler.bytes)) return true
      const start = bytes && ruler.toUnits(bytes.start)
      const end = bytes && ruler.toUnits(bytes.end)
      const range = start !== undefined && end !== undefined ? { start: start - startUnits, end: end - startUnits } : {}
      const key = JSON.stringify([citation.url, citation.title, citation.citedText, range])
      if (!cited.has(key)) grow(at, { citation: { ...citation, ...range } })
      cited.add(key)
      known.add(citation.url)
      return false
    })
  }

  function push(candidate: Fields<GeminiCandidate>): ConversationEvent[] {
    events = []
    const parts = openParts(candidate)
    const said = {
      groundingMetadata: candidate.json('groundingMetadata'),
      citationMetadata: candidate.json('citationMetadata'),
      logprobsResult: candidate.json('logprobsResult'),
    }
    for (const detail of detailsOf(said))
      losses.leftOut(`response.${detail}`, 'Clients of other dialects get the address and title of a source.')
    // In a stream the ranges count from the answer's beginning, whatever part they name.
    const starts = ruler.bytes === 0 ? startsOf(parts) : []
    pending = { citations: readCitations(said, (index) => starts[index] ?? 0), logprobs: readLogprobs(said) }
    for (const part of parts) readPart(part)
    annotate()
    // A source whose place fits no text is still a source.
    pending.citations = pending.citations.map(({ citation }) => ({ citation, bytes: undefined }))
    annotate()
    if (pending.citations.some(({ citation }) => !known.has(citation.url)))
      losses.leftOut('response.citations', 'A source arrived after its text had ended.')
    reason = finishWord(candidate.textIf('finishReason')) ?? reason
    return events
  }

  function finish(): ConversationEvent[] {
    events = []
    if (reason === undefined) return events
    endCall()
    close()
    events.push({ kind: 'finish', choice, finish: readFinish(reason, hasCalls) })
    return events
  }

  return { push, finish, isFinished: () => reason !== undefined }
}

/** The parts of a candidate. Its index and its own counts are read elsewhere. */
function openParts(candidate: Fields<GeminiCandidate>): Fields<GeminiPart>[] {
  candidate.ignore('index', 'tokenCount', 'avgLogprobs')
  const grounding = candidate.objectIf('groundingMetadata')
  grounding?.ignore('groundingSupports', 'webSearchQueries')
  for (const source of grounding?.objectsIf('groundingChunks') ?? []) source.ignore(...sourceKinds)
  const content = candidate.objectIf('content')
  content?.ignore('role')
  return content?.objectsIf('parts') ?? []
}

/** The byte of the answer's text at which each part begins. */
function startsOf(parts: readonly Fields<GeminiPart>[]): number[] {
  let at = 0
  return parts.map((part) => {
    const start = at
    if (part.json('thought') !== true) at += Buffer.byteLength(part.textIf('text') ?? '')
    return start
  })
}
