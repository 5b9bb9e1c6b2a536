/**
 * What coding agents need to use Parley, as data: the dialect of each, and the contents of its own files. The settings follow the
 * agents' documentation, and of `e2e/support/coding-agents.ts`, which starts the real agents with them.
 */
import type { Dialect } from '#shared/ids'

/** The connection that an agent is configured for. */
export interface Post {
  /** Parley's address, without a path and a slash at its end. */
  url: string
  key: string
  model: string
  /** For titles and other small work. */
  smallModel: string
}

/** The required content of one file in the home folder. */
export type Part =
  /** Values by their path in a JSON file. */
  | { file: string; json: readonly (readonly [path: readonly string[], value: unknown])[] }
  /** Lines between two markers in a file of another format. */
  | { file: string; lines: readonly string[] }

/** One agent. */
export interface Agent {
  title: string
  dialect: Dialect
  parts(post: Post): Part[]
  /** The command that starts it. */
  start(post: Post): string[]
}

/** Agents that can be set up. */
export const agents = {
  claude: {
    title: 'Claude Code',
    dialect: 'messages',
    parts: ({ url, key, model, smallModel }) => [
      {
        file: '.claude/settings.json',
        json: [
          [['env', 'ANTHROPIC_BASE_URL'], url],
          [['env', 'ANTHROPIC_AUTH_TOKEN'], key],
          [['env', 'ANTHROPIC_MODEL'], model],
          [['env', 'ANTHROPIC_SMALL_FAST_MODEL'], smallModel],
        ],
      },
    ],
    start: () => ['claude'],
  },
  codex: {
    title: 'Codex',
    dialect: 'responses',
    parts: ({ url, model }) => [
      {
        // A profile is a separate file; one in `config.toml` is refused.
        file: '.codex/parley.config.toml',
        lines: [
          'model_provider = "parley"',
          `model = ${JSON.stringify(model)}`,
          '',
          '[model_providers.parley]',
          'name = "Parley"',
          `base_url = ${JSON.stringify(`${url}/v1`)}`,
          'env_key = "PARLEY_KEY"',
          'wire_api = "responses"',
        ],
      },
    ],
    start: () => ['export PARLEY_KEY=sk-...   # it reads the key from the environment only', 'codex --profile parley'],
  },
  opencode: {
    title: 'opencode',
    dialect: 'chat',
    parts: ({ url, key, model, smallModel }) => [
      {
        file: '.config/opencode/opencode.json',
        json: [
          [['provider', 'parley', 'npm'], '@ai-sdk/openai-compatible'],
          [['provider', 'parley', 'name'], 'Parley'],
          [['provider', 'parley', 'options', 'baseURL'], `${url}/v1`],
          [['provider', 'parley', 'options', 'apiKey'], key],
          ...[...new Set([model, smallModel])].map((name) => [['provider', 'parley', 'models', name, 'name'], name] as const),
          [['model'], `parley/${model}`],
          [['small_model'], `parley/${smallModel}`],
        ],
      },
    ],
    start: () => ['opencode'],
  },
  gemini: {
    title: 'Gemini CLI',
    dialect: 'gemini',
    parts: ({ url, key, model }) => [
      { file: '.gemini/.env', lines: [`GOOGLE_GEMINI_BASE_URL=${url}`, `GEMINI_API_KEY=${key}`, `GEMINI_MODEL=${model}`] },
      { file: '.gemini/settings.json', json: [[['security', 'auth', 'selectedType'], 'gemini-api-key']] },
    ],
    start: ({ model }) => [`gemini --model ${model}   # it reads its key only in a folder that it trusts; with -p: --skip-trust`],
  },
  qwen: {
    title: 'Qwen Code',
    dialect: 'chat',
    parts: ({ url, key, model }) => [
      { file: '.qwen/.env', lines: [`OPENAI_BASE_URL=${url}/v1`, `OPENAI_API_KEY=${key}`, `OPENAI_MODEL=${model}`] },
      { file: '.qwen/settings.json', json: [[['security', 'auth', 'selectedType'], 'openai']] },
    ],
    start: ({ model }) => [`qwen --model ${model}`],
  },
} as const satisfies Record<string, Agent>

export type AgentName = keyof typeof agents
export const agentNames = Object.keys(agents) as AgentName[]
