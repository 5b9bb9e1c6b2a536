/** Converts a validated Chat body to the demo model's prompt. */
import { callsOf, type Fields, isObject } from './chat-rules.ts'
import { describeImage } from './image.ts'
import { type DemoPrompt, type DemoTool, readCommands, tokensIn } from './prompt.ts'

/** Parameters that the answer mentions when set. */
const shown = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'seed',
  'n',
  'reasoning_effort',
  'frequency_penalty',
  'presence_penalty',
]
/** Maximum output, in tokens. */
const maxOutput = 4096
/** Tokens per image. */
const imageTokens = 85

/** The prompt of a body that has passed `chatFault`. */
export function readChat(body: Fields): DemoPrompt {
  const messages = (Array.isArray(body.messages) ? body.messages : []).filter(isObject)
  const user = messages.findLast((message) => message.role === 'user')
  const { text, commands } = readCommands(textOf(user?.content))
  const images = messages.flatMap((message) => imagesOf(message.content))
  const tools = (Array.isArray(body.tools) ? body.tools : []).flatMap(toolOf)
  const asked = Number(body.max_completion_tokens ?? body.max_tokens ?? maxOutput)
  const last = messages.at(-1)?.role
  const texts = messages.map(
    (message) => textOf(message.content) + (message.tool_calls === undefined ? '' : JSON.stringify(message.tool_calls)),
  )
  return {
    messages: messages.length,
    system: messages.some((message) => message.role === 'system' || message.role === 'developer'),
    last: last === 'tool' || last === 'function' ? 'tool' : last === 'assistant' ? 'assistant' : 'user',
    text,
    commands,
    images: images.map(describeImage),
    settings: shown.filter((field) => body[field] != null).map((field) => `\`${field}\` ${String(body[field]).slice(0, 20)}`),
    tools,
    callable: callable(body.tool_choice, tools),
    parallel: body.parallel_tool_calls !== false,
    results: last === 'tool' ? resultsIn(messages) : [],
    json: jsonAsked(body.response_format),
    reasoning: commands.think || (body.reasoning_effort != null && body.reasoning_effort !== 'none'),
    maxOutput: Math.min(maxOutput, asked),
    stops: (Array.isArray(body.stop) ? body.stop : [body.stop]).filter((stop) => typeof stop === 'string' && stop !== ''),
    inputTokens: tokensIn(texts.join('')) + (tools.length === 0 ? 0 : tokensIn(JSON.stringify(tools))) + images.length * imageTokens,
  }
}

const partsOf = (content: unknown): Fields[] => (Array.isArray(content) ? content.filter(isObject) : [])

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return partsOf(content)
    .map((part) => (typeof part.text === 'string' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n')
}

function imagesOf(content: unknown): string[] {
  return partsOf(content)
    .filter((part) => part.type === 'image_url')
    .map(({ image_url: image }) => String(isObject(image) ? image.url : image))
}

function toolOf(tool: unknown): DemoTool[] {
  if (!isObject(tool) || !isObject(tool.function)) return []
  const { name, description, parameters } = tool.function
  return [{ name: String(name), description: String(description ?? ''), parameters: parameters ?? { type: 'object', properties: {} } }]
}

function callable(choice: unknown, tools: DemoTool[]): string[] {
  if (choice === 'none') return []
  const named = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined
  return tools.map((tool) => tool.name).filter((name) => named === undefined || name === named)
}

/** The trailing tool messages, with the names of the called tools. */
function resultsIn(messages: Fields[]): DemoPrompt['results'] {
  const from = messages.findLastIndex((message) => message.role === 'assistant')
  const calls = new Map(callsOf(messages[from] ?? {}).map((call) => [call.id, isObject(call.function) ? String(call.function.name) : '']))
  return messages.slice(from + 1).map((message) => ({
    tool: calls.get(message.tool_call_id) ?? String(message.name ?? ''),
    text: textOf(message.content),
  }))
}

function jsonAsked(format: unknown): DemoPrompt['json'] {
  if (!isObject(format) || format.type === 'text') return undefined
  return { schema: isObject(format.json_schema) ? format.json_schema.schema : undefined }
}
