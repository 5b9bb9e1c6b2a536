/**
 * The coding agents under test, as data: where their programs are, how one is started with a task, and which of its tools write a file and
 * run a command. Each is pointed at the gateway in the way that its documentation describes.
 *
 * @needs agents
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where an agent is to send its requests. */
export interface Post {
  /** Parley's address, without a path. */
  url: string
  key: string
  model: string
  prompt: string
}

/** How an agent's process is started. */
export interface Start {
  command: string
  args: string[]
  env: Record<string, string>
  /** Files in its home folder, by path. */
  home?: Record<string, string>
}

/** One tool call for the agent. */
export interface Step {
  tool: string
  args: object
}

/** One coding agent. */
export interface Agent {
  /** Its dialect. */
  dialect: 'chat' | 'responses' | 'messages' | 'gemini'
  /** The prefix of model names that the agent recognises. */
  family: string
  start(post: Post): Start
  /** The tool calls that write `text` into the file at `path`, and that run a shell command. */
  write(path: string, text: string): Step
  shell(command: string): Step
}

const modules = join(import.meta.dirname, '../agents/node_modules')

/** Whether the agents are installed. */
export const areInstalled = (): boolean => existsSync(modules)

/** Node, as the agents' users have it, or Bun if there is none. */
const script = () => Bun.which('node') ?? process.execPath

const claude: Agent = {
  dialect: 'messages',
  family: 'claude-opus-4-8-',
  start: ({ url, key, model, prompt }) => ({
    // The package's own command is created by an install script, which is not run.
    command: join(modules, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
    args: ['-p', prompt, '--model', model, '--dangerously-skip-permissions'],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // It refuses to run as root unattended, unless it is told that the machine is a sandbox.
      IS_SANDBOX: '1',
    },
  }),
  write: (path, text) => ({ tool: 'Write', args: { file_path: path, content: text } }),
  shell: (command) => ({ tool: 'Bash', args: { command, description: 'Runs it' } }),
}

/** `provider`: the settings that tell it where its models are. */
const codexWith = (provider: (url: string) => string[], keyName: string): Pick<Agent, 'dialect' | 'start' | 'shell'> => ({
  dialect: 'responses',
  start: ({ url, key, model, prompt }) => ({
    command: script(),
    args: [
      join(modules, '@openai/codex/bin/codex.js'),
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      ...['--model', model],
      ...['check_for_update_on_startup=false', ...provider(`${url}/v1`)].flatMap((setting) => ['-c', setting]),
      prompt,
    ],
    env: { [keyName]: key },
  }),
  shell: (command) => ({ tool: 'exec_command', args: { cmd: command } }),
})

/**
 * Parley in place of its own vendor: it tries a WebSocket first, and marks its items as it does for its vendor only. For a model of this
 * family it offers a free-text tool, and one that searches for tools.
 */
const codex: Agent = {
  ...codexWith((url) => [`openai_base_url="${url}"`], 'CODEX_API_KEY'),
  family: 'gpt-5.5-',
  write: (path, text) => ({ tool: 'apply_patch', args: { input: `*** Begin Patch\n*** Add File: ${path}\n+${text}\n*** End Patch` } }),
}

/** Parley as a custom provider, as its guide describes. For an unknown model it offers a namespace of tools. */
const codexElsewhere: Agent = {
  ...codexWith(
    (url) => [
      'model_provider="parley"',
      `model_providers.parley={name="Parley",base_url="${url}",env_key="PARLEY_KEY",wire_api="responses"}`,
    ],
    'PARLEY_KEY',
  ),
  family: 'unknown-',
  write: (path, text) => ({ tool: 'exec_command', args: { cmd: `printf '${text}' > '${path}'` } }),
}

const gemini: Agent = {
  dialect: 'gemini',
  family: 'gemini-3-pro-',
  start: ({ url, key, model, prompt }) => ({
    command: script(),
    args: [join(modules, '@google/gemini-cli/bundle/gemini.js'), '-p', prompt, '-m', model, '--yolo', '--skip-trust'],
    env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key },
    home: {
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    },
  }),
  write: (path, text) => ({ tool: 'write_file', args: { file_path: path, content: text } }),
  shell: (command) => ({ tool: 'run_shell_command', args: { command } }),
}

/** Through the package for any Chat-compatible vendor. It would also request a title from a model. */
const opencode: Agent = {
  dialect: 'chat',
  family: 'other-',
  start: ({ url, key, model, prompt }) => ({
    command: join(modules, `opencode-${process.platform}-${process.arch}/bin/opencode`),
    // It puts quotation marks around an argument with spaces, and a stroke before those inside.
    args: ['run', '--model', `parley/${model}`, ...prompt.split(' ')],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    home: {
      '.config/opencode/opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        permission: 'allow',
        agent: { title: { disable: true } },
        provider: {
          parley: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: key },
            models: { [model]: { name: model } },
          },
        },
      }),
    },
  }),
  write: (path, text) => ({ tool: 'write', args: { filePath: path, content: text } }),
  shell: (command) => ({ tool: 'bash', args: { command, description: 'Runs it' } }),
}

const qwen: Agent = {
  dialect: 'chat',
  family: 'qwen3-coder-',
  start: ({ url, key, model, prompt }) => ({
    command: script(),
    args: [join(modules, '@qwen-code/qwen-code/cli.js'), '-p', prompt, '-m', model, '--yolo', '--auth-type', 'openai'],
    env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model },
    home: {
      '.qwen/settings.json': JSON.stringify({
        general: { disableAutoUpdate: true, disableUpdateNag: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    },
  }),
  write: (path, text) => ({ tool: 'write_file', args: { file_path: path, content: text } }),
  shell: (command) => ({ tool: 'run_shell_command', args: { command, is_background: false } }),
}

export const agents: Record<string, Agent> = { claude, codex, 'codex-by-provider': codexElsewhere, gemini, opencode, qwen }

/** How each is started after `parley agent setup`: address, key and model come from its files, or, where stated, from PARLEY_KEY. */
export const setUpAgents: Record<'claude' | 'codex' | 'gemini' | 'opencode' | 'qwen', (post: Pick<Post, 'key' | 'prompt'>) => Start> = {
  claude: ({ prompt }) => ({
    command: join(modules, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
    args: ['-p', prompt, '--dangerously-skip-permissions'],
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1' },
  }),
  codex: ({ key, prompt }) => ({
    command: script(),
    args: [
      ...[join(modules, '@openai/codex/bin/codex.js'), 'exec', '--profile', 'parley'],
      ...['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    ],
    env: { PARLEY_KEY: key },
  }),
  gemini: ({ prompt }) => ({
    command: script(),
    args: [join(modules, '@google/gemini-cli/bundle/gemini.js'), '-p', prompt, '--yolo', '--skip-trust'],
    env: {},
  }),
  opencode: ({ prompt }) => ({
    command: join(modules, `opencode-${process.platform}-${process.arch}/bin/opencode`),
    args: ['run', ...prompt.split(' ')],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  }),
  qwen: ({ prompt }) => ({ command: script(), args: [join(modules, '@qwen-code/qwen-code/cli.js'), '-p', prompt, '--yolo'], env: {} }),
}
