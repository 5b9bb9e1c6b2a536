/** Carries out the step that a person chose after a failure. */
import { untrack } from 'solid-js'
import type { Bench } from '../bench.ts'
import type { Reply } from '../conversation/model.ts'
import type { SliderName } from '../parameters/settings.ts'
import { openOtherModel } from '../transcript/reply-actions.tsx'
import { say } from '../words.ts'
import type { Step } from './explain.ts'

export function takeStep(bench: Bench, reply: Reply, step: Step, named: SliderName | null): void {
  const { desk, actions, view } = bench
  const settings = untrack(() => desk.conversation().settings)
  switch (step) {
    case 'signIn':
      return bench.signIn()
    case 'retry':
      return actions.regenerate(reply.id)
    case 'otherModel':
      return openOtherModel(bench, reply.id)
    case 'continue':
      return actions.send(say('continuePrompt'))
    case 'parameters':
      return view.setPanel('parameters')
    case 'newChat':
      return desk.open(null)
    case 'lowerMax': {
      const now = settings.maxTokens.on ? settings.maxTokens.value : 2048
      desk.setSettings({ maxTokens: { on: true, value: Math.max(16, Math.floor(now / 2)) } })
      return actions.regenerate(reply.id)
    }
    case 'turnOff':
      if (named !== null) desk.setSettings({ [named]: { ...settings[named], on: false } })
      return actions.regenerate(reply.id)
  }
}
