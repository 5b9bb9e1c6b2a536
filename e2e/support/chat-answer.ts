/** The shortest whole answer of a Chat upstream, for tests that are about something else. */

/** A Chat answer with this usage. */
export const chatAnswer = (usage: object = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 }) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }],
  usage,
})
