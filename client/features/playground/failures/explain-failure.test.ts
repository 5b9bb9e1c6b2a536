import { describe, expect, test } from 'bun:test'
import type { Failure } from '#client/features/playground/conversation/conversation.ts'
import { errorTable } from '#shared/errors'
import { explainFailure, namedParameters } from './explain-failure.ts'

const failure = (code: string, status: number, more: Partial<Failure> = {}): Failure => ({
  code,
  status,
  type: '',
  message: '',
  at: 0,
  ...more,
})

describe('failures are explained', () => {
  test('every code of the server has a title and a next step', () => {
    for (const [code, row] of Object.entries(errorTable)) {
      const meaning = explainFailure(failure(code, row.status), false)
      expect([code, meaning.steps.length > 0 && meaning.title.startsWith('fail')]).toEqual([code, true])
    }
  })

  test('a refusal that names a parameter offers to turn it off', () => {
    expect(explainFailure(failure('unsupported_value', 400, { param: 'temperature' }), false)).toMatchObject({
      steps: ['turnOff', 'parameters'],
      named: ['temperature'],
    })
    expect(namedParameters({ param: undefined, message: '`temperature` and `top_p` cannot both be specified' })).toEqual([
      'temperature',
      'topP',
    ])
    expect(namedParameters({ param: undefined, message: 'desktop_policy' })).toEqual([])
  })

  test('a rate limit waits for its Retry-After, an empty balance does not', () => {
    expect(explainFailure(failure('rate_limit_exceeded', 429, { retryAfter: 12 }), false)).toMatchObject({ title: 'failRate', wait: 12 })
    expect(explainFailure(failure('insufficient_quota', 429), false)).toMatchObject({ title: 'failBalance' })
  })

  test('a reply cut off after some text can be continued', () => {
    for (const code of ['upstream_error', 'stream_cut', 'connection_lost', 'insufficient_quota']) {
      expect(explainFailure(failure(code, 0), true).steps[0]).toBe('continue')
    }
  })

  test('an unknown code is explained by its status', () => {
    expect(explainFailure(failure('strange', 502), false).title).toBe('failUpstream')
    expect(explainFailure(failure('strange', 400), false).title).toBe('failRefused')
    expect(explainFailure(failure('x', 400, { message: 'maximum context length is 8192 tokens' }), false).title).toBe('failContext')
  })
})
