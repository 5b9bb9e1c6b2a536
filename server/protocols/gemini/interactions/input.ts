/** The content of an interaction, as items of Responses. */
import { fileMark, keptFileIn } from '#canonical/kept-file'
import type { LossList } from '#canonical/loss'
import { type Fields, invalidField } from '#protocols/codec/fields'
import { exactCall } from '#shared/exact-numbers'
import { isObject, type JsonObject } from '#shared/json'
import type { InteractionContent, InteractionRequest, InteractionStep } from '#shared/protocols/gemini/interactions'

type Step = Fields<InteractionStep>
type Content = Fields<InteractionContent>

const kinds = new Set<unknown>(['text', 'image', 'audio', 'document', 'video'])

/** `input` of a request: a text, or items. Throws GatewayError. */
export function readInput(body: Fields<InteractionRequest>, losses: LossList): JsonObject {
  const kind = body.kind('input')
  if (kind === 'absent') return {}
  if (kind === 'text') return { input: body.text('input') }
  if (kind === 'object') return { input: [message('user', [readContent(body.needObject('input').as<InteractionContent>(), losses)])] }
  return {
    input: itemsOf(
      body.objects('input').map((step) => step.as<InteractionStep>()),
      losses,
    ),
  }
}

/** Contents that follow each other without a step around them are one message. */
function itemsOf(steps: readonly Step[], losses: LossList): JsonObject[] {
  const items: JsonObject[] = []
  let loose: JsonObject[] | undefined
  for (const step of steps) {
    if (kinds.has(step.json('type'))) {
      if (!loose) {
        loose = []
        items.push(message('user', loose))
      }
      loose.push(readContent(step.as<InteractionContent>(), losses))
      continue
    }
    loose = undefined
    items.push(...readStep(step, losses))
  }
  return items
}

const message = (role: 'user' | 'assistant', content: unknown): JsonObject => ({ type: 'message', role, content })

function readStep(step: Step, losses: LossList): JsonObject[] {
  if (step.has('role')) {
    const isAnswer = step.word('role', ['user', 'model']) === 'model'
    return [message(isAnswer ? 'assistant' : 'user', contentOf(step, losses, isAnswer))]
  }
  const type = step.needText('type')
  switch (type) {
    case 'user_input':
      return [message('user', contentOf(step, losses))]
    case 'model_output': {
      step.ignore('error' as never)
      return [message('assistant', contentOf(step, losses, true))]
    }
    case 'thought':
      return [readThought(step, losses)]
    case 'function_call': {
      const { name, id } = { name: step.needText('name'), id: step.needText('id') }
      return [{ type: 'function_call', call_id: id, name, arguments: JSON.stringify(exactCall(step.json('arguments') ?? {})) }]
    }
    case 'function_result':
      return [readResult(step, losses)]
    default:
      if (!/^\w{1,64}$/.test(type)) throw invalidField(step.pathOf('type'), 'a kind of step')
      losses.dropped(
        step.path.replace(/\[\d+\]$/, `.${type}`),
        'The steps of a hosted tool are only understood by the upstream that has the tool.',
      )
      step.whole()
      return []
  }
}

function contentOf(step: Step, losses: LossList, isAnswer = false): unknown {
  if (step.kind('content') === 'text') return step.text('content')
  const contents = step.objects('content').map((content) => content.as<InteractionContent>())
  if (!isAnswer) return contents.map((content) => readContent(content, losses))
  return contents.flatMap((content) => {
    if (content.json('type') === 'text') return [answerText(content)]
    losses.dropped(content.path, 'Only the texts of an earlier answer can be sent back.')
    content.whole()
    return []
  })
}

function answerText(content: Content): JsonObject {
  const annotations = content.json('annotations')
  return { type: 'output_text', text: content.needText('text'), annotations: Array.isArray(annotations) ? annotations.filter(isLink) : [] }
}

/** Web citations are alike in both formats. */
const isLink = (annotation: unknown) =>
  isObject(annotation) &&
  annotation.type === 'url_citation' &&
  typeof annotation.url === 'string' &&
  typeof annotation.start_index === 'number'

function readThought(step: Step, losses: LossList): JsonObject {
  const summary = step.objects('summary').flatMap((content) => {
    const one = content.as<InteractionContent>()
    if (one.json('type') === 'text') return [{ type: 'summary_text', text: one.needText('text') }]
    losses.dropped(one.path, 'Reasoning only consists of text.')
    one.whole()
    return []
  })
  const signature = step.text('signature')
  return { type: 'reasoning', summary, ...(signature !== undefined && { encrypted_content: signature }) }
}

function readResult(step: Step, losses: LossList): JsonObject {
  if (step.flag('is_error')) losses.altered(step.pathOf('is_error'), 'A result is given to the model without a mark of failure.')
  // Its call has the name.
  step.ignore('name')
  return { type: 'function_call_output', call_id: step.needText('call_id'), output: outputOf(step, losses) }
}

function outputOf(step: Step, losses: LossList): unknown {
  const kind = step.kind('result')
  if (kind === 'text') return step.text('result')
  if (kind === 'list')
    return step
      .as<{ result: InteractionContent[] }>()
      .objects('result')
      .map((content) => readContent(content, losses))
  return JSON.stringify(exactCall(step.json('result') ?? {}))
}

const sounds: Readonly<Record<string, string>> = { 'audio/wav': 'wav', 'audio/x-wav': 'wav', 'audio/mp3': 'mp3', 'audio/mpeg': 'mp3' }
const usualTypes: Readonly<Record<string, string>> = {
  image: 'image/png',
  audio: 'audio/wav',
  document: 'application/pdf',
  video: 'video/mp4',
}

/** One content of a message or of a result. Throws GatewayError. */
function readContent(content: Content, losses: LossList): JsonObject {
  const type = content.word('type', ['text', 'image', 'audio', 'document', 'video']) ?? content.needText('type')
  if (type === 'text') {
    // Citations are of answers.
    content.ignore('annotations')
    return { type: 'input_text', text: content.needText('text') }
  }
  const mime = content.text('mime_type') ?? usualTypes[type] ?? ''
  const data = content.text('data')
  const uri = content.text('uri')
  const detail = detailOf(content, type, losses)
  if ((data === undefined) === (uri === undefined)) throw invalidField(content.path, 'given by either `data` or `uri`')
  if (uri?.includes(fileMark))
    return { ...(type === 'image' ? { type: 'input_image' } : { type: 'input_file' }), file_id: `file_${keptFileIn(uri) ?? ''}` }
  if (type === 'image') return { type: 'input_image', image_url: uri ?? `data:${mime};base64,${data}`, ...detail }
  const format = sounds[mime]
  if (data !== undefined && format !== undefined) return { type: 'input_audio', input_audio: { data, format } }
  return { type: 'input_file', ...(uri === undefined ? { filename: type, file_data: `data:${mime};base64,${data}` } : { file_url: uri }) }
}

const details: Readonly<Record<string, string>> = { low: 'low', medium: 'auto', high: 'high', ultra_high: 'original' }

function detailOf(content: Content, type: string, losses: LossList): JsonObject {
  const resolution = content.text('resolution')
  if (resolution === undefined) return {}
  const detail = type === 'image' ? details[resolution] : undefined
  if (detail === undefined) losses.leftOut(content.pathOf('resolution'), 'Only pictures have a resolution here.')
  return detail === undefined ? {} : { detail }
}
