import { For } from 'solid-js'
import { ts } from './messages.ts'

const inside = ['chat', 'responses', 'messages', 'generateContent', 'realtime']
const outside = ['OpenAI', 'Anthropic', 'Google', 'Bedrock', 'vLLM']

/** The illustration beside the form: protocols in, providers out, the gateway between them. */
export function GatewayIllustration() {
  return (
    <svg viewBox="0 0 640 420" class="w-full max-w-[640px] font-mono text-[12px]" role="img" aria-label={ts('illustration')}>
      <For each={inside}>
        {(name, index) => {
          const at = 70 * (index() + 1)
          const meet = 182 + 15 * index()
          return (
            <>
              <text x="28" y={at - 8} fill={index() === 0 ? 'var(--text)' : 'var(--text-3)'}>
                {name}
              </text>
              <path d={`M28 ${at}H120C190 ${at} 178 ${meet} 250 ${meet}H292`} {...wire(index() === 0)} />
            </>
          )
        }}
      </For>
      <For each={outside}>
        {(name, index) => {
          const at = 70 * (index() + 1)
          const meet = 182 + 15 * index()
          return (
            <>
              <text x="612" y={at - 8} text-anchor="end" fill={index() === 1 ? 'var(--text)' : 'var(--text-3)'}>
                {name}
              </text>
              <path d={`M348 ${meet}H390C462 ${meet} 450 ${at} 520 ${at}H612`} {...wire(index() === 1)} />
            </>
          )
        }}
      </For>
      <g transform="translate(248 138) scale(6)">
        <path fill="var(--text)" d="M2 21v-9.4A8.6 8.6 0 0 1 10.6 3H11v13.6A4.4 4.4 0 0 1 6.6 21z" />
        <path fill="var(--accent)" d="M22 21v-9.4A8.6 8.6 0 0 0 13.4 3H13v13.6A4.4 4.4 0 0 0 17.4 21z" />
      </g>
    </svg>
  )
}

const wire = (live: boolean) => ({ fill: 'none', stroke: live ? 'var(--accent)' : 'var(--line-2)', 'stroke-width': live ? 2 : 1.5 })
