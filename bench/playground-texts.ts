/** Test data for the playground benchmark: a long reply with every kind of Markdown, and a conversation of many messages. */

const section = (number: number) => `## ${number}. Measuring a queue

The mean waiting time of a queue follows from its load $\\rho = \\lambda / \\mu$ and from how uneven the *service times* are. At
**80 %** load a request waits four times as long as it is served; at 95 %, nineteen times. See [the derivation](https://example.org/queue)
or \`docs/queue.md\`, which costs $5 on paper.

$$
W_q = \\frac{\\rho}{1 - \\rho} \\cdot \\frac{1 + c_s^2}{2} \\cdot \\frac{1}{\\mu}
$$

- Arrivals are independent, so \`c_a = 1\`.
- Service times are measured, not assumed:
  - the median with a clock that never goes back,
  - the tail over at least 10 000 samples.
- ~~Averages of percentiles~~ mean nothing.

\`\`\`typescript
export function waiting(load: number, variation: number, rate: number): number {
  // A queue at full load has no steady state.
  if (load >= 1) return Number.POSITIVE_INFINITY
  const uneven = (1 + variation ** 2) / 2
  return (load / (1 - load)) * uneven * (1 / rate)
}

for (const load of [0.5, 0.8, 0.9, ${number / 100}]) {
  console.log(\`\${load}: \${waiting(load, 1, 200).toFixed(4)} s\`)
}
\`\`\`

| Load | Waiting, ms | Share above 100 ms |
|-----:|------------:|:-------------------|
| 0.50 |         5.0 | none               |
| 0.80 |        20.0 | 1 in 140           |
| 0.90 |        45.0 | 1 in 9             |

1. Measure the service time alone.
2. Raise the load in steps and stop where the tail bends.

> What is not measured at the tail is not measured.
`

/** Markdown of at least `characters`. */
export function longReply(characters: number): string {
  let text = ''
  for (let number = 1; text.length < characters; number++) text += `${section(number)}\n`
  return text
}

/** A conversation of `count` messages of about 2 kB each, as the browser stores it. */
export function longConversation(count: number) {
  const id = 'benchconversation'
  const reply = longReply(3_000)
  const messages = Array.from({ length: count }, (_, index) => {
    const base = { id: `m${index}`, conversation: id, parent: index === 0 ? null : `m${index - 1}`, at: 1_700_000_000_000 + index * 1_000 }
    const text = `Message ${index}. ${index % 2 === 0 ? 'How long does a request wait, and why? '.repeat(index % 40) : reply.slice(0, 1_000 + (index % 7) * 400)}`
    return index % 2 === 0 ? { ...base, role: 'user', text } : { ...base, ...answered, text }
  })
  const conversation = { id, title: 'Ten thousand messages', named: true, pinned: false, createdAt: 1, updatedAt: 2, settings: {} }
  return { conversation: { ...conversation, group: 'default', model: 'bench-model', draft: '', choice: {} }, messages }
}

const answered = {
  role: 'assistant',
  state: 'complete',
  group: 'default',
  model: 'bench-model',
  reasoning: '',
  reasoningMs: null,
  refusal: '',
  calls: [],
  finish: 'stop',
  answeredBy: 'bench-model',
  firstTokenMs: 200,
  totalMs: 2_000,
  requestId: 'req_bench',
  usage: null,
  cost: '0.001',
  losses: null,
  failure: null,
}
