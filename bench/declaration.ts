/** A parley.yaml with one channel for each dialect of `upstream.ts`, and a user with a balance. */
export const declaration = (upstream: string) => `
channels:
  - { name: bench, vendor: openai-compatible, baseUrl: "${upstream}/v1", keys: [upstream], models: [bench-model] }
  - { name: messages, vendor: anthropic, baseUrl: "${upstream}", keys: [upstream], models: [bench-messages] }
  - { name: gemini, vendor: gemini, baseUrl: "${upstream}", keys: [upstream], models: [bench-gemini] }
prices:
  bench-model: { input: 1, output: 2 }
  bench-messages: { input: 1, output: 2 }
  bench-gemini: { input: 1, output: 2 }
users:
  - { name: bench, balance: 1000000 }
keys:
  - { name: bench, user: bench, key: sk-bench-key }
`
