/**
 * Other gateways, measured if they are installed, in $PARLEY_BENCH_PEERS (default ~/.cache/parley-bench), outside this project. The
 * comment of each says what it does besides passing a request on: none keeps accounts as Parley does.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathOf, type Route, type Subject, subjectOf } from './subject.ts'

const peers = process.env.PARLEY_BENCH_PEERS ?? join(homedir(), '.cache/parley-bench')
const orHow = (file: string, how: string) => (existsSync(file) ? undefined : how)
const key = 'sk-bench-key'
const authorization = `authorization: Bearer ${key}`
const isChat = ({ client, upstream }: Route) => client === 'chat' && upstream === 'chat'

const litellmProgram = join(peers, 'litellm/bin/litellm')

/** LiteLLM's proxy: checks a key and works out the cost of every request; no database, so nothing is written. */
const litellm = subjectOf({
  name: 'LiteLLM',
  missing: () => orHow(litellmProgram, `python3 -m venv ${peers}/litellm && ${peers}/litellm/bin/pip install 'litellm[proxy]==1.106.2'`),
  ask({ client, upstream }) {
    // For a Messages client it calls an OpenAI upstream in Responses, which this provider does not support.
    if (client === 'messages' && upstream === 'chat') return undefined
    return { path: pathOf(client), model: `bench-${upstream}`, headers: [authorization] }
  },
  command({ folder, port, providerPort }) {
    const prices = 'input_cost_per_token: 0.000001, output_cost_per_token: 0.000002'
    const model = (name: string, target: string, base: string) =>
      `  - { model_name: ${name}, litellm_params: { model: ${target}, api_base: "${base}", api_key: upstream, ${prices} } }`
    const provider = `http://127.0.0.1:${providerPort}`
    const lines = [
      'model_list:',
      model('bench-chat', 'openai/bench', `${provider}/v1`),
      model('bench-messages', 'anthropic/bench', provider),
      `general_settings: { master_key: ${key} }`,
      // Otherwise clients that hang up make it refuse the next ones.
      'router_settings: { num_retries: 0, disable_cooldowns: true }',
      'litellm_settings: { num_retries: 0, telemetry: false }',
    ]
    writeFileSync(join(folder, 'litellm.yaml'), lines.join('\n'))
    const words = [litellmProgram, '--config', 'litellm.yaml', '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1']
    return { words, env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' } }
  },
})

const literLlmProgram = join(peers, 'liter-llm/bin/liter-llm')

/** liter-llm's proxy, in Rust: checks a virtual key with a budget and tracks costs in memory. */
const literLlm = subjectOf({
  name: 'liter-llm',
  missing: () => orHow(literLlmProgram, `cargo install liter-llm-cli --version 2.4.4 --locked --root ${peers}/liter-llm`),
  ask: (route) => (isChat(route) ? { path: pathOf('chat'), model: 'bench', headers: [authorization] } : undefined),
  command({ folder, port, providerPort }) {
    const tables = {
      '[server]': [`host = "127.0.0.1"`, `port = ${port}`],
      '[general]': ['master_key = "sk-master"', 'max_retries = 0', 'enable_cost_tracking = true'],
      // Without it addresses of this machine are refused.
      '[security]': ['outbound_policy = "off"'],
      '[[models]]': [
        'name = "bench"',
        'provider_model = "openai/bench"',
        'api_key = "upstream"',
        `base_url = "http://127.0.0.1:${providerPort}/v1"`,
      ],
      '[[keys]]': [`key = "${key}"`, 'budget_limit = 1000000.0'],
    }
    const text = Object.entries(tables).map(([table, lines]) => [table, ...lines].join('\n'))
    writeFileSync(join(folder, 'liter-llm.toml'), text.join('\n\n'))
    return { words: [literLlmProgram, 'api', '--config', 'liter-llm.toml', '--host', '127.0.0.1', '--port', String(port)] }
  },
})

const portkeyProgram = join(peers, 'portkey/node_modules/@portkey-ai/gateway/build/start-server.js')

/** Portkey's open gateway, on Bun, where it is faster than on Node: no keys of its own, no accounts, no costs. */
const portkey = subjectOf({
  name: 'Portkey on Bun',
  missing: () => orHow(portkeyProgram, `npm install --prefix ${peers}/portkey @portkey-ai/gateway@1.15.2`),
  ask(route, providerPort) {
    if (!isChat(route)) return undefined
    const target = ['x-portkey-provider: openai', `x-portkey-custom-host: http://127.0.0.1:${providerPort}/v1`]
    return { path: pathOf('chat'), model: 'bench', headers: [authorization, ...target] }
  },
  command: ({ port }) => ({
    words: [process.execPath, portkeyProgram, `--port=${port}`, '--headless'],
    env: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost', BUN_CONFIG_MAX_HTTP_REQUESTS: '65535', NODE_ENV: 'production' },
  }),
})

/** The other gateways. */
export const otherGateways: readonly Subject[] = [litellm, literLlm, portkey]
