//! Runs the ONNX file: numbers of tokens in, vectors of texts out.

use std::path::Path;
use std::sync::Arc;

use rten::{Model, NodeId, RunOptions, ThreadPool, TryFromValueError, Value, ValueOrView};
use rten_tensor::Layout;

use super::folder::{EXPORT, Settings};
use super::pooling::Pooling;

/// The inputs that a model may ask for, by their names in every export of the Hugging Face tools.
#[derive(Clone, Copy)]
enum Input {
    Tokens,
    Mask,
    Types,
    Positions,
}

/// A model and how its inputs and output are to be understood.
pub(super) struct Network {
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
    /// An error here only matters if the model does not pool by itself.
    pooling: Result<Pooling, String>,
    threads: Arc<ThreadPool>,
}

impl Network {
    pub(super) fn read(path: &Path, settings: &Settings, threads: usize) -> Result<Network, String> {
        let shown = path.display();
        let model = Model::load_file(path).map_err(|error| format!("{shown} cannot be loaded: {error}"))?;
        let inputs = inputs(&model).map_err(|why| format!("{shown} {why}; {EXPORT}"))?;
        let output = output(&model, settings).ok_or_else(|| format!("{shown} has no output; {EXPORT}"))?;
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            given => given,
        };
        let threads = Arc::new(ThreadPool::with_num_threads(threads));
        Ok(Network { model, inputs, output, pooling: settings.pooling.clone(), threads })
    }

    /// One vector for each row; rows are filled up to `width`.
    pub(super) fn run(&self, rows: &[&[i32]], width: usize, padding: i32) -> Result<Vec<Vec<f32>>, String> {
        let filled = |input: Input| {
            let own = |row: &[i32], at: usize| match (input, row.get(at)) {
                (Input::Tokens, Some(token)) => *token,
                (Input::Tokens, None) => padding,
                (Input::Mask, token) => i32::from(token.is_some()),
                (Input::Types, _) => 0,
                (Input::Positions, _) => i32::try_from(at).unwrap_or(i32::MAX),
            };
            let numbers = rows.iter().flat_map(|row| (0..width).map(|at| own(row, at))).collect::<Vec<i32>>();
            Value::from_shape([rows.len(), width], numbers).map_err(|error| error.to_string())
        };
        let mut given: Vec<(NodeId, ValueOrView<'_>)> = Vec::with_capacity(self.inputs.len());
        for (node, input) in &self.inputs {
            given.push((*node, filled(*input)?.into()));
        }
        let options = RunOptions::default().with_thread_pool(Some(self.threads.clone()));
        let results = self.model.run(given, &[self.output], Some(options));
        let mut results = results.map_err(|error| format!("the model cannot be run: {error}"))?;
        self.pooled(results.pop().ok_or("the model gives nothing")?, rows, width)
    }

    /// An output with three dimensions has a vector for each token, one with two has them pooled.
    fn pooled(&self, result: Value, rows: &[&[i32]], width: usize) -> Result<Vec<Vec<f32>>, String> {
        let shape = result.shape().to_vec();
        let not_numbers =
            |error: TryFromValueError| format!("the model's output has not the right type ({error}); {EXPORT}");
        match shape[..] {
            [count, size] if count == rows.len() && size > 0 => {
                let (_, numbers) = result.into_shape_vec::<f32, 2>().map_err(not_numbers)?;
                Ok(numbers.chunks_exact(size).map(<[f32]>::to_vec).collect())
            }
            [count, tokens, size] if count == rows.len() && tokens == width && size > 0 => {
                let pooling = self.pooling.clone()?;
                let (_, numbers) = result.into_shape_vec::<f32, 3>().map_err(not_numbers)?;
                let texts = numbers.chunks_exact(width * size).zip(rows);
                Ok(texts.map(|(numbers, row)| pooling.apply(numbers, row.len(), size)).collect())
            }
            _ => Err(format!(
                "the model's output has the shape {shape:?} for {} texts of {width} tokens, not a vector for each text \
                 or token; {EXPORT}",
                rows.len()
            )),
        }
    }
}

fn inputs(model: &Model) -> Result<Vec<(NodeId, Input)>, String> {
    let mut inputs = Vec::new();
    for node in model.input_ids() {
        let input = match name(model, *node) {
            "input_ids" => Input::Tokens,
            "attention_mask" => Input::Mask,
            "token_type_ids" => Input::Types,
            "position_ids" => Input::Positions,
            other => return Err(format!("asks for the input `{other}`, which an embedding model has not")),
        };
        inputs.push((*node, input));
    }
    if inputs.iter().any(|(_, input)| matches!(input, Input::Tokens)) {
        Ok(inputs)
    } else {
        Err("has no input `input_ids`".into())
    }
}

/// A pooled output, unless the user said how to pool; else the one with a vector for each token,
/// which is the first where it has none of the usual names.
fn output(model: &Model, settings: &Settings) -> Option<NodeId> {
    let named = |wanted: &str| model.output_ids().iter().find(|node| name(model, **node) == wanted);
    let pooled = named("sentence_embedding").filter(|_| !settings.pooling_is_given);
    let by_token = || named("last_hidden_state").or_else(|| named("token_embeddings"));
    pooled.or_else(by_token).or(model.output_ids().first()).copied()
}

fn name(model: &Model, node: NodeId) -> &str {
    model.node_info(node).and_then(|info| info.name()).unwrap_or_default()
}
