/**
 * A scripted Responses vendor account that compacts by itself and refuses what another account sealed, as the real one does. Answers `said`
 * unless it is asked to compact or to think.
 */
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import type { Script } from '#testing/upstream/scripted-upstream'

interface Body {
  model: string
  input: string | Record<string, unknown>[]
  stream?: boolean
}

const usage = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 19,
}

const refuse = (code: string, message: string) => respondJson(400, { error: { type: 'invalid_request_error', code, message, param: null } })

/** Creates the account. */
export function compactingVendor(account: string): Script {
  let count = 0
  const seal = () => `sealed-by-${account}-${++count}`

  return (exchange) => {
    const body = exchange.request.json() as Body
    const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input
    const foreign = items.find(({ encrypted_content: state }) => state != null && !String(state).startsWith(`sealed-by-${account}-`))
    if (foreign) return refuse('invalid_encrypted_content', 'The encrypted content could not be verified.')(exchange)
    const number = ++count
    if (exchange.request.target === '/v1/responses/compact') {
      const output = [{ id: `cmp_${number}`, type: 'compaction', encrypted_content: seal() }]
      return respondJson(200, { id: `resp_${number}`, object: 'response.compaction', created_at: 1, output, usage })(exchange)
    }
    const response = { id: `resp_${number}`, object: 'response', created_at: 1, model: body.model, status: 'completed', usage }
    const output = outputOf(items, number, seal)
    if (body.stream !== true) return respondJson(200, { ...response, output })(exchange)
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      ...output.flatMap((item, index) =>
        ['added', 'done'].map((step) => ({ type: `response.output_item.${step}`, output_index: index, item })),
      ),
      { type: 'response.completed', response: { ...response, output } },
    ]
    return stream(events.map((event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`))(
      exchange,
    )
  }
}

function outputOf(items: Record<string, unknown>[], number: number, seal: () => string): Record<string, unknown>[] {
  const last = items.at(-1)
  if (last?.type === 'compaction_trigger') return [{ id: `cmp_${number}`, type: 'compaction', encrypted_content: seal() }]
  const content = [{ type: 'output_text', text: 'said', annotations: [] }]
  const message = { id: `msg_${number}`, type: 'message', role: 'assistant', status: 'completed', content }
  const thought = { id: `rs_${number}`, type: 'reasoning', summary: [], encrypted_content: seal() }
  return JSON.stringify(last?.content).includes('think') ? [thought, message] : [message]
}
