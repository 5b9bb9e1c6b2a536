/** What a conversation can contain: instructions, turns, their parts and earlier reasoning. */
import type { Citation, MediaPart, Opaque } from '#canonical/conversation'
import type { Dialect } from '#shared/ids'
import { assistant, text, user } from './conversation.ts'
import { bodies, feature, own, partFields, partsOf, type RequestFeature, roles, said, shown } from './feature.ts'

export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const pdf = 'JVBERi0xLjQKJUVPRgo='
const picture = 'https://media.example/cat.png'
const paper = 'https://media.example/paper.pdf'
const pdfType = 'application/pdf'

/** Some dialects call it a title. */
const nameOfDocument: RequestFeature['of'] = (it) => partsOf(it).map((part) => part.kind === 'media' && (part.name ?? part.title))

type Sent = Partial<MediaPart> & Pick<MediaPart, 'media' | 'source'>
const media = (name: string, part: Sent, ...keys: (keyof MediaPart)[]): RequestFeature =>
  said('2.2', name, [user({ kind: 'media', ...part })], partFields('media', 'media', 'source', ...keys))
const document = (name: string, more: Partial<MediaPart>, ...keys: (keyof MediaPart)[]): RequestFeature =>
  media(name, { media: 'document', source: { data: pdf }, mimeType: pdfType, ...more }, ...keys)
/** A file address as Gemini clients write it. */
const fileAt = (fileUri: string, mimeType: string) => bodies({ gemini: [{ fileData: { fileUri, mimeType } }] })
const drawn: MediaPart = { kind: 'media', media: 'image', source: { data: png }, mimeType: 'image/png' }

/** A file id in the form of the dialect's vendor. */
const keptFile = (dialect: Dialect): string =>
  dialect === 'gemini' ? 'https://generativelanguage.googleapis.com/v1beta/files/abc' : 'file-abc'

const url = 'https://source.example/a'
/** A citation with everything that its dialect can express. */
export function citation(dialect: Dialect): Citation {
  const known = { kind: 'web' as const, url, title: 'A' }
  if (dialect !== 'messages') return { ...known, start: 0, end: 5 }
  const opaque: Opaque[] = [{ dialect, kind: 'citation-index', value: 'idx' }]
  const raw = { type: 'web_search_result_location', url, title: 'A', cited_text: 'It is', encrypted_index: 'idx' }
  return { ...known, citedText: 'It is', opaque, raw }
}

/** Opaque reasoning state in the form of the dialect's vendor. */
export function seal(dialect: Dialect): Opaque {
  if (dialect === 'gemini') return { dialect, kind: 'thought-signature', value: 'c2VhbA==' }
  return { dialect, kind: dialect === 'responses' ? 'encrypted' : 'signature', value: 'seal' }
}

/** A step of a tool that runs at the dialect's vendor. */
export function step(dialect: Dialect): unknown {
  if (dialect === 'gemini') return { executableCode: { language: 'PYTHON', code: '1' } }
  if (dialect === 'messages') return { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: '1' } }
  return { type: 'code_interpreter_call', id: 'ci_1', code: '1', container_id: 'c', status: 'completed', outputs: [] }
}

export const saidFeatures: readonly RequestFeature[] = [
  feature('2.1', 'instructions', { instructions: [{ role: 'system', text: 'Be brief.' }] }, (it) => it.instructions.map((one) => one.text)),
  feature('2.1', 'several instructions', { instructions: ['A', 'B'].map((words) => ({ role: 'system', text: words })) }, (it) =>
    it.instructions.map((one) => one.text),
  ),
  feature('2.1', 'instructions of the developer', { instructions: [{ role: 'developer', text: 'Be brief.' }] }, (it) =>
    it.instructions.map((one) => one.role),
  ),
  said(
    '2.1',
    'system message in the middle',
    [user(), assistant(text('Yes?')), user(text('Go on')), { role: 'system', parts: [text('Be brief.')] }],
    (it) => it.turns.filter((turn) => turn.role === 'system').map((turn) => turn.parts.map(shown)),
  ),
  said('2.1', 'several turns', [user(), assistant(text('Yes?')), user(text('Go on'))], roles),
  said('2.1', 'answer before any question', [assistant(text('Welcome')), user()], roles),
  said('2.1', 'begun answer', [user(), assistant(text('It is'))], (it) => it.turns.at(-1)?.role),
  said('2.1', 'empty message', [user(text(''))], (it) => it.turns.map((turn) => turn.parts.map(shown))),
  said('2.1', 'name of a speaker', [{ ...user(), name: 'ann' }], (it) => it.turns.map(({ name }) => name)),
  said('2.1', 'phase of an answer', [user(), assistant({ ...text('Hm'), phase: 'commentary' }), user()], partFields('text', 'phase')),

  said('2.2', 'text', [user(text('日本 🎉'))], partFields('text', 'text')),
  media('image by data', { media: 'image', source: { data: png }, mimeType: 'image/png' }, 'mimeType'),
  { ...media('image by address', { media: 'image', source: { url: picture } }), body: fileAt(picture, 'image/png') },
  media('image of a rare format', { media: 'image', source: { data: 'SUkqAA==' }, mimeType: 'image/tiff' }, 'mimeType'),
  media('image detail', { media: 'image', source: { data: png }, mimeType: 'image/png', detail: 'high' }, 'detail'),
  media('audio', { media: 'audio', source: { data: 'UklGRg==' }, mimeType: 'audio/wav' }),
  media('video', { media: 'video', source: { data: 'AAAA' }, mimeType: 'video/mp4' }),
  {
    ...document('PDF by data', {}, 'mimeType'),
    body: bodies({
      chat: [{ type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } }],
      responses: [{ type: 'input_file', file_data: `data:application/pdf;base64,${pdf}` }],
    }),
  },
  { ...document('PDF by address', { source: { url: paper } }), body: fileAt(paper, pdfType) },
  document('document of plain text', { source: { text: 'words' }, mimeType: 'text/plain' }),
  { ...document('name of a document', { name: 'a.pdf' }), of: nameOfDocument },
  { ...document('title of a document', { title: 'A' }), of: nameOfDocument },
  {
    ...document('wish to cite a document', {}, 'extra'),
    fields: () => ({}),
    body: bodies({
      messages: [{ type: 'document', source: { type: 'base64', media_type: pdfType, data: pdf }, citations: { enabled: true } }],
    }),
  },
  {
    ...document('file kept by the vendor', {}),
    fields: (dialect) => ({ turns: [user({ kind: 'media', media: 'document', source: { fileId: keptFile(dialect), dialect } })] }),
  },
  {
    ...said('2.2', 'search result', [user()], partFields('native', 'raw')),
    body: bodies({ messages: [{ type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'found' }] }] }),
  },
  said('2.2', 'picture that the model made', [user(), assistant(drawn), user()], partFields('media', 'source')),
  said('2.2', 'refusal said before', [user(), assistant({ kind: 'refusal', text: 'No.' }), user()], partFields('refusal', 'text')),
  {
    ...said('2.2', 'citations said before', [], (it) =>
      partsOf(it).flatMap((part) => (part.kind === 'text' ? (part.citations ?? []).map((one) => one.url) : [])),
    ),
    fields: (dialect) => ({ turns: [user(), assistant({ ...text('It is so.'), citations: [citation(dialect)] }), user()] }),
  },
  own('2.2', 'gemini', 'generationConfig.mediaResolution', 'MEDIA_RESOLUTION_LOW'),
  own('2.2', 'gemini', 'generationConfig.speechConfig', { voiceConfig: {} }),

  said(
    '2.4',
    'earlier thoughts',
    [user(), assistant({ kind: 'reasoning', text: ['Hm.'], form: 'full', opaque: [] }, text('Yes.')), user()],
    partFields('reasoning', 'text'),
  ),
  {
    ...said('2.4', 'earlier thoughts with their seal', [], partFields('reasoning', 'text', 'opaque')),
    fields: (dialect) => ({
      turns: [user(), assistant({ kind: 'reasoning', text: ['Hm.'], form: 'summary', opaque: [seal(dialect)] }, text('Yes.')), user()],
    }),
  },
  {
    ...said('2.3', 'step of a vendor’s own tool', [], partFields('native', 'raw')),
    fields: (dialect) => ({ turns: [user(), assistant({ kind: 'native', dialect, raw: step(dialect) }, text('Done.')), user()] }),
  },
]
