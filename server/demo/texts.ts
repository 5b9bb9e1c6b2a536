/** The demo model's texts, in English and Chinese. It is a first experience: friendly, and honest about being a script. */
import type { DemoPrompt } from './prompt.ts'

/** The answer that shows what was understood, as markdown. */
export function answerText(prompt: DemoPrompt): string {
  const words = isChinese(prompt.text) ? chinese : english
  const facts = [
    words.messages(prompt.messages, prompt.system),
    ...prompt.images.map(words.image),
    ...(prompt.settings.length > 0 ? [words.settings(prompt.settings.join(', '))] : []),
    ...(prompt.tools.length > 0 ? [words.tools(prompt.tools.map((tool) => `\`${tool.name}\``).join(', '))] : []),
  ]
  const parts = [
    ...(prompt.results.length > 0 ? prompt.results.map(({ tool, text }) => words.result(tool, shortened(text))) : [words.hello]),
    ...(prompt.text !== '' && prompt.results.length === 0 ? [words.youSaid, quoted(prompt.text)] : []),
    words.seen,
    facts.map((fact) => `- ${fact}`).join('\n'),
    ...(prompt.results.length > 0 ? [] : [words.tryThis, commandBlock, words.real]),
  ]
  return parts.join('\n\n')
}

/** The reasoning before the answer. */
export function reasoningText(prompt: DemoPrompt): string {
  return (isChinese(prompt.text) ? chinese : english).thinking(prompt.messages, prompt.tools.length)
}

/** Exactly `count` words, in paragraphs. */
export function longText(count: number): string {
  const words = Array.from({ length: count }, (_, index) => {
    const word = story[index % story.length] ?? ''
    return index % 80 === 79 ? `${word}\n\n` : `${word} `
  })
  return words.join('').trimEnd()
}

const story = 'This is a long answer, one word after the other, so that you can watch a stream, stop it, and see what it cost.'.split(' ')

const commandBlock = ['```text', '/think', '/long 300', '/delay 3', '/error 429', '/cut', '```'].join('\n')

interface Words {
  hello: string
  youSaid: string
  seen: string
  messages(count: number, system: boolean): string
  image(what: string): string
  settings(list: string): string
  tools(list: string): string
  result(tool: string, text: string): string
  tryThis: string
  real: string
  thinking(messages: number, tools: number): string
}

const english: Words = {
  hello: "Hello! I am **Parley's demo model**: a script, not an intelligence. I answer without any account or network.",
  youSaid: 'You said:',
  seen: 'What reached me:',
  messages: (count, system) => `${count} ${count === 1 ? 'message' : 'messages'}${system ? ', with a system prompt' : ''}`,
  image: (what) => `an image: ${what}`,
  settings: (list) => `settings: ${list}`,
  tools: (list) => `tools I may call: ${list}`,
  result: (tool, text) => `The tool \`${tool}\` answered: ${text}`,
  tryThis: 'Send one of these on a line of its own to see more:',
  real: 'To talk to a real model, add a channel in the console or in `parley.yaml`.',
  thinking: (messages, tools) =>
    `Let me look at the conversation. Messages: ${messages}. Tools: ${tools}. I will say what I understood, in plain words.`,
}

const chinese: Words = {
  hello: '你好！我是 **Parley 的演示模型**：一段脚本，不是真正的智能。我不需要任何账号或网络。',
  youSaid: '你说：',
  seen: '我收到的内容：',
  messages: (count, system) => `${count} 条消息${system ? '，包含系统提示' : ''}`,
  image: (what) => `一张图片：${what}`,
  settings: (list) => `参数：${list}`,
  tools: (list) => `可调用的工具：${list}`,
  result: (tool, text) => `工具 \`${tool}\` 的回答：${text}`,
  tryThis: '单独一行发送下面的命令，可以看到更多：',
  real: '要与真正的模型对话，请在控制台或 `parley.yaml` 中添加一个渠道。',
  thinking: (messages, tools) => `先看看这段对话：共有 ${messages} 条消息和 ${tools} 个工具。我会直接说明我理解到的内容。`,
}

/** Han characters without Japanese kana. */
const isChinese = (text: string) => /\p{Script=Han}/u.test(text) && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)

const shortened = (text: string) => (text.length <= 600 ? text : `${[...text].slice(0, 600).join('')}…`)

const quoted = (text: string) =>
  shortened(text)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
