import { render } from 'preact';
import { Shell } from './shell.tsx';
import './theme.css';
import './ui/ui.css';

render(<Shell />, document.getElementById('console')!);
