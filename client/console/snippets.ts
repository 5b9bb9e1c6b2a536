/** Samples for a key: calls with curl and the SDKs, and the settings of coding agents. The key is `$PARLEY_KEY`. */

/** A sample. */
export interface Sample {
  id: string
  label: string
  text: string
}

/** The samples for a model, with the address of this installation. */
export function samplesFor(origin: string, model: string): Sample[] {
  const v1 = `${origin}/v1`
  return [
    {
      id: 'curl',
      label: 'curl',
      text: [
        `curl ${v1}/chat/completions \\`,
        '  -H "Authorization: Bearer $PARLEY_KEY" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '{"model": ${JSON.stringify(model)}, "messages": [{"role": "user", "content": "Hello"}]}'`,
      ].join('\n'),
    },
    {
      id: 'python',
      label: 'Python',
      text: [
        'import os',
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url=${JSON.stringify(v1)}, api_key=os.environ["PARLEY_KEY"])`,
        'reply = client.chat.completions.create(',
        `    model=${JSON.stringify(model)},`,
        '    messages=[{"role": "user", "content": "Hello"}],',
        ')',
        'print(reply.choices[0].message.content)',
      ].join('\n'),
    },
    {
      id: 'typescript',
      label: 'TypeScript',
      text: [
        "import OpenAI from 'openai'",
        '',
        `const client = new OpenAI({ baseURL: '${v1}', apiKey: process.env.PARLEY_KEY })`,
        'const reply = await client.chat.completions.create({',
        `  model: ${JSON.stringify(model)},`,
        "  messages: [{ role: 'user', content: 'Hello' }],",
        '})',
        'console.log(reply.choices[0]?.message.content)',
      ].join('\n'),
    },
    {
      id: 'claude-code',
      label: 'Claude Code',
      text: [
        `export ANTHROPIC_BASE_URL=${origin}`,
        'export ANTHROPIC_AUTH_TOKEN="$PARLEY_KEY"',
        `export ANTHROPIC_MODEL=${model}`,
        `export ANTHROPIC_SMALL_FAST_MODEL=${model}`,
        'claude',
      ].join('\n'),
    },
    {
      id: 'codex',
      label: 'Codex',
      text: [
        '# ~/.codex/config.toml',
        `model = ${JSON.stringify(model)}`,
        'model_provider = "parley"',
        '',
        '[model_providers.parley]',
        'name = "Parley"',
        `base_url = ${JSON.stringify(v1)}`,
        'env_key = "PARLEY_KEY"',
        'wire_api = "responses"',
      ].join('\n'),
    },
    {
      id: 'opencode',
      label: 'opencode',
      text: JSON.stringify(
        {
          $schema: 'https://opencode.ai/config.json',
          model: `parley/${model}`,
          provider: {
            parley: {
              npm: '@ai-sdk/openai-compatible',
              name: 'Parley',
              options: { baseURL: v1, apiKey: '{env:PARLEY_KEY}' },
              models: { [model]: {} },
            },
          },
        },
        null,
        2,
      ),
    },
  ]
}
