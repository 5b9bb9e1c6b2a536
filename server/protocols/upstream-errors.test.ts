/** Details of an upstream's error besides its message reach clients of the same dialect, without account data. */
import { expect, test } from 'bun:test'
import { conversationCodecs } from './index.ts'

// learn.microsoft.com, Azure OpenAI "Content filtering": the body of a filtered prompt.
test('Azure: what its filter found', () => {
  const filter = { hate: { filtered: true, severity: 'high' }, jailbreak: { detected: false, filtered: false } }
  const innererror = {
    code: 'ResponsibleAIPolicyViolation',
    content_filter_result: filter,
    account: 'sk-proj-abcdefgh12345678',
    note: 'see https://x.example',
  }
  const error = { message: 'The response was filtered.', type: null, param: 'prompt', code: 'content_filter', status: 400, innererror }
  const read = conversationCodecs.chat.readError(400, new Headers(), JSON.stringify({ error }))
  expect(JSON.parse(conversationCodecs.chat.writeError(read).body).error).toEqual({
    message: 'The response was filtered.',
    type: 'invalid_request_error',
    param: 'prompt',
    code: 'content_filter',
    innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: filter },
  })
  expect(conversationCodecs.messages.writeError(read).body).not.toContain('innererror')
})

// cloud.google.com/apis/design/errors: google.rpc.BadRequest.
test('Gemini: every field that it found wrong', () => {
  const fieldViolations = [
    { field: 'contents[0]', description: 'Unknown name.' },
    { field: 'generation_config.top_k', description: 'Of project sk-proj-abcdefgh12345678.' },
  ]
  const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }]
  const body = JSON.stringify({ error: { code: 400, message: 'Invalid.', status: 'INVALID_ARGUMENT', details } })
  const written = conversationCodecs.gemini.writeError(conversationCodecs.gemini.readError(400, new Headers(), body)).body
  expect(JSON.parse(written).error.details).toContainEqual({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [fieldViolations[0], { field: 'generation_config.top_k', description: 'Of project [removed]' }],
  })
})
