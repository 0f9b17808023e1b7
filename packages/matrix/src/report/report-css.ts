import { fontFamily } from "./charts/axes";
import { paletteCss } from "./charts/palette";

/** Read on a telephone (tables become lists), on a screen (charts beside their tables), and on paper (nothing is cut). */
export const reportCss = `
${paletteCss}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:76rem;background:var(--ground);color:var(--ink);font:16px/1.5 ${fontFamily}}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.75rem 0 .25rem}
h1,h2,h3,p,li,dd,dt,code{overflow-wrap:anywhere}
td,th{overflow-wrap:break-word}
td.n{white-space:nowrap}
p{margin:.25rem 0;max-width:70ch}
header p,article>p{color:var(--soft)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;padding:0;margin:.75rem 0}
a{color:var(--link)}
figure{margin:.75rem 0;max-width:34rem}
svg{display:block;width:100%;height:auto}
table{border-collapse:collapse;width:100%;margin:.75rem 0;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;vertical-align:bottom}
.n{text-align:right}
s{color:var(--soft)}
.sound{color:var(--sound)}.indicative{color:var(--indicative)}.invalid{color:var(--invalid)}
.sound,.indicative,.invalid{font-weight:600}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
dl{margin:.5rem 0}
dt{font-weight:600;margin-top:.75rem}
dd{margin:0;max-width:80ch}
dd p{color:var(--soft)}
code{font:.8125rem/1.5 ui-monospace,'DejaVu Sans Mono',monospace;background:var(--raised)}
@media screen and (min-width:70rem){
.beside{display:grid;grid-template-columns:minmax(0,27rem) minmax(0,1fr);gap:1.5rem;align-items:start}
}
@media screen and (max-width:62rem){
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr{display:block}
tr{padding:.5rem 0;border-bottom:1px solid var(--line)}
td,td.n{display:flex;justify-content:space-between;gap:1rem;padding:.1rem 0;border:0;text-align:right;white-space:normal;overflow-wrap:anywhere}
td::before{content:attr(data-name);color:var(--soft);text-align:left;flex:none;max-width:50%}
}
@media print{
body{max-width:none;padding:0;font-size:10pt}
table{font-size:8pt}
th,td{padding:.15rem .3rem}
td.n{white-space:normal}
figure{max-width:12cm}
figure,tr,dt,dd{break-inside:avoid}
h2,h3{break-after:avoid}
}
`.trim();
