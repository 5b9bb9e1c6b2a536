/** Reads a Chat Completions body as the model of `scenarios.ts` sees it. */
import { dataUrlMedia, type Fields, isEmpty, isObject, objects, textOf } from './body-checks.ts'
import type { Asked, Media, ToolResult } from './scenarios.ts'

/** The request that the model sees. */
export function chatAsked(body: Fields): Asked {
  const messages = objects(body.messages)
  const spoken = messages.findLastIndex((message, index) => message.role === 'user' && !carriesResults(messages, index))
  const since = messages.slice(spoken + 1)
  const instructions = messages.filter(({ role }) => role === 'system' || role === 'developer')
  const choice = body.tool_choice
  const forced = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined
  const tools = objects(body.tools)
    .map(({ function: own }) => own)
    .filter(isObject)
  const format = body.response_format
  const limit = body.max_completion_tokens ?? body.max_tokens
  return {
    system: instructions.map(({ content }) => textIn(content)).join('\n'),
    turns: messages
      .filter(({ role, content }) => (role === 'user' || role === 'assistant') && textIn(content) !== '')
      .map(({ role, content }) => `${role}: ${textIn(content)}`),
    said: textIn(messages[spoken]?.content),
    media: mediaIn(messages[spoken]?.content),
    results: resultsOf(since),
    rounds: since.filter(({ role }, index) => role === 'tool' && since[index + 1]?.role !== 'tool').length,
    tools: tools
      .filter(({ name }) => choice !== 'none' && (forced === undefined || forced === name))
      .map((tool) => ({ name: textOf(tool.name), empty: isEmpty(tool.parameters) })),
    forced: choice === 'required' || forced !== undefined,
    parallel: body.parallel_tool_calls !== false,
    shaped: isObject(format) && format.type === 'json_schema',
    stops: (Array.isArray(body.stop) ? body.stop : [body.stop]).filter((stop) => typeof stop === 'string'),
    limit: typeof limit === 'number' ? limit : undefined,
  }
}

/** A user message right after tool messages only carries what those cannot: images. */
const carriesResults = (messages: Fields[], index: number) =>
  messages[index - 1]?.role === 'tool' && mediaIn(messages[index]?.content).length > 0

function resultsOf(since: Fields[]): ToolResult[] {
  const results = since.filter(({ role }) => role === 'tool').map(({ content }) => ({ text: textIn(content), failed: false, media: [] }))
  const media = since.filter(({ role }) => role === 'user').flatMap(({ content }) => mediaIn(content))
  const last = results.at(-1)
  return last === undefined ? [] : [...results.slice(0, -1), { ...last, media }]
}

const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : objects(content)
        .filter(({ text }) => typeof text === 'string')
        .map(({ text }) => textOf(text))
        .join('')

const mediaIn = (content: unknown): Media[] =>
  objects(content).flatMap(({ image_url: image, file }) => {
    const url = isObject(image) ? image.url : isObject(file) ? file.file_data : undefined
    return dataUrlMedia(url) ?? []
  })
